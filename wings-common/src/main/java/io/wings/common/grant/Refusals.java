package io.wings.common.grant;

import io.wings.common.cluster.Printable;
import io.wings.common.time.Time;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines of the log about callers that weren't let in. Anybody may be one, as often as he likes: an
 * address is told of once a minute, and all together once a second. Safe for several threads.
 */
public final class Refusals {
  private static final Logger log = LoggerFactory.getLogger(Refusals.class);

  static final Duration BETWEEN_LINES_OF_ONE = Duration.ofMinutes(1);
  static final Duration BETWEEN_LINES = Duration.ofSeconds(1);
  static final int MAX_REMEMBERED = 1_000;

  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();

  /** When each was told of, the longest ago first. */
  private final Map<String, Long> toldNanos = new LinkedHashMap<>();

  private long lastNanos;
  private boolean any;
  private long untold;

  public Refusals(Time time) {
    this.time = time;
  }

  /**
   * Notes one.
   *
   * @param from where it came from; null where that isn't known
   * @param why without what it has shown
   */
  public void note(@Nullable SocketAddress from, String why) {
    String address = Audit.address(from);
    long unsaid;
    lock.lock();
    try {
      if (!due(address)) {
        untold++;
        return;
      }
      unsaid = untold;
      untold = 0;
    } finally {
      lock.unlock();
    }
    log.warn(
        "a caller at {} was not let in: {}{}",
        address,
        Printable.of(why),
        unsaid == 0 ? "" : ", and " + unsaid + " others since the last such line");
  }

  /** The caller holds the lock. */
  private boolean due(String address) {
    Long before = toldNanos.get(address);
    if (before != null && time.since(before).compareTo(BETWEEN_LINES_OF_ONE) < 0) {
      return false;
    }
    if (any && time.since(lastNanos).compareTo(BETWEEN_LINES) < 0) {
      return false;
    }
    any = true;
    lastNanos = time.nanos();
    Long _ = toldNanos.remove(address);
    if (toldNanos.size() >= MAX_REMEMBERED) {
      Long _ = toldNanos.remove(toldNanos.keySet().iterator().next());
    }
    toldNanos.put(address, lastNanos);
    return true;
  }
}
