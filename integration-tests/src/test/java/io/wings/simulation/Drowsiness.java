package io.wings.simulation;

import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.SimulatedS3;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Workers that fall asleep in the midst of a pass: soon after it has written into its ledger, one
 * worker at a time. It wakes before its lease runs out or long after; or as soon as another deletes
 * a file, so that the two are at work at once.
 */
final class Drowsiness implements SimulatedS3.Observer {
  private static final int ONE_WRITE_OF = 2;
  private static final int ONE_FILE_OF = 8;
  private static final int LONGEST_DELAY_MILLIS = 600;
  private static final int SHORTEST_NAP_MILLIS = 8_000;
  private static final int LONGEST_NAP_WITHIN_A_LEASE_MILLIS = 27_000;
  private static final int LONGEST_NAP_MILLIS = 60_000;

  private final World world;

  /** Who opened a ledger; others close it. */
  private final Map<String, Long> openedBy = new HashMap<>();

  private final List<SimulatedProcess> asleep = new ArrayList<>();

  Drowsiness(World world) {
    this.world = world;
  }

  @Override
  public void written(SimulatedProcess by, String key, byte[] bytes) {
    if (!world.scenario().odd().drowsy() || !key.contains("/passes/")) {
      return;
    }
    boolean own = openedBy.computeIfAbsent(key, _ -> by.life()) == by.life();
    Random random = world.scheduler().choices();
    if (own && world.troubled() && random.nextInt(ONE_WRITE_OF) == 0) {
      world
          .scheduler()
          .after(Duration.ofMillis(random.nextInt(LONGEST_DELAY_MILLIS)), () -> sleep(by, random));
    }
  }

  private void sleep(SimulatedProcess worker, Random random) {
    if (!world.troubled() || worker.dead() || !asleep.isEmpty()) {
      return;
    }
    world.faults().count("worker fell asleep");
    worker.pause();
    asleep.add(worker);
    int longest = random.nextInt(3) == 0 ? LONGEST_NAP_MILLIS : LONGEST_NAP_WITHIN_A_LEASE_MILLIS;
    int nap = SHORTEST_NAP_MILLIS + random.nextInt(longest - SHORTEST_NAP_MILLIS);
    world.scheduler().after(Duration.ofMillis(nap), () -> wake(worker));
  }

  @Override
  public void deleted(SimulatedProcess by, String key) {
    boolean file = !key.endsWith(".wal");
    if (file && !asleep.isEmpty() && world.scheduler().choices().nextInt(ONE_FILE_OF) == 0) {
      SimulatedProcess worker = asleep.getFirst();
      world.scheduler().after(Duration.ZERO, () -> wake(worker));
    }
  }

  private void wake(SimulatedProcess worker) {
    worker.resume();
    boolean _ = asleep.remove(worker);
  }

  /** All are awake. */
  void end() {
    List.copyOf(asleep).forEach(this::wake);
  }
}
