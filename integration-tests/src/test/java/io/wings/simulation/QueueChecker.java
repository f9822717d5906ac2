package io.wings.simulation;

import io.wings.common.cas.FencedCodec;
import io.wings.common.cluster.Keys;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.QueueFile;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.SimulatedS3;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * At most one broker is effective: an epoch has one writer, epochs only grow, and only the newest
 * answers.
 */
final class QueueChecker implements SimulatedS3.Observer {
  /** A takeover's time, a read of a standby, and what their calls of the store take. */
  private static final Duration LONGEST_STANDSTILL = Duration.ofSeconds(10);

  private final World world;
  private final QueueCodec codec = new QueueCodec();
  private final Map<Long, Long> lifeOfEpoch = new HashMap<>();
  private long epoch;
  private long writtenAt = -1;
  private long lastEpoch = Long.MAX_VALUE;

  QueueChecker(World world) {
    this.world = world;
  }

  /** The newest epoch that shows. */
  long epoch() {
    return epoch;
  }

  @Override
  public void written(SimulatedProcess by, String key, byte[] bytes) {
    if (!key.equals(Keys.QUEUE)) {
      return;
    }
    FencedCodec.Fenced<QueueFile> file = codec.decode(bytes);
    long written = file.fence().epoch();
    if (written < epoch) {
      world.violated(by.name() + " wrote the queue in epoch " + written + " after " + epoch);
    }
    long life = lifeOfEpoch.computeIfAbsent(written, _ -> by.life());
    if (life != by.life()) {
      world.violated("two brokers wrote the queue in epoch " + written);
    }
    requireNoStandstill();
    epoch = Math.max(epoch, written);
    if (epoch > lastEpoch) {
      world.violated("brokers depose each other: epoch " + epoch + ", and nothing is wrong");
    }
  }

  /** Where one broker is always awake, and reaches the store, it takes over from who sleeps. */
  private void requireNoStandstill() {
    long now = world.scheduler().now();
    if (writtenAt >= 0
        && world.scenario().odd().brokersNap()
        && now - writtenAt > LONGEST_STANDSTILL.toNanos()) {
      world.violated(
          "nobody wrote the queue for %.1f s, though a broker stood by"
              .formatted((now - writtenAt) / 1e9));
    }
    writtenAt = now;
  }

  /** Nothing is wrong from here on: each broker may take over once for what was. */
  void calm() {
    lastEpoch = epoch + world.scenario().brokers() + 1;
  }

  /** A broker stands by again: the queue must show another. */
  void deposed(SimulatedProcess broker) {
    Long holder = lifeOfEpoch.get(epoch);
    if (holder != null && holder == broker.life() && !world.isDraining(broker)) {
      world.violated(broker.name() + " gave up epoch " + epoch + ", which is its own");
    }
  }

  @Override
  public void deleted(SimulatedProcess by, String key) {
    if (key.equals(Keys.QUEUE)) {
      world.violated(by.name() + " deleted the queue");
    }
  }

  /**
   * A broker has answered.
   *
   * @param answered its epoch
   * @param atArrival the newest epoch when the command came
   */
  void answered(long answered, long atArrival) {
    if (answered < atArrival) {
      world.violated(
          "the broker of epoch %d answered a command that came in epoch %d"
              .formatted(answered, atArrival));
    }
  }
}
