package io.wings.broker.loop;

import io.wings.common.cas.Fence;
import org.jspecify.annotations.Nullable;

/**
 * A standby's view of the object over time: decides when it has been unchanged for long enough, by
 * the standby's own monotonic clock and by reads that were never far apart. Pure.
 *
 * <p>A gap between reads may mean that this process was paused, and the active broker with it; so
 * the time before it doesn't count.
 */
final class Watch {
  private final BrokerTiming timing;
  private @Nullable Fence last;
  private long unchangedSince;
  private long lastReadAt;
  private boolean atOnce;

  /**
   * @param atOnce the first read is enough
   */
  Watch(BrokerTiming timing, boolean atOnce) {
    this.timing = timing;
    this.atOnce = atOnce;
  }

  /**
   * A read has succeeded.
   *
   * @param begun when it was sent
   * @param ended when it was answered
   * @return whether the object may be taken over
   */
  boolean observe(Fence fence, long begun, long ended) {
    boolean first = !fence.equals(last) || begun - lastReadAt > timing.longestReadGap().toNanos();
    lastReadAt = begun;
    if (first) {
      last = fence;
      unchangedSince = ended;
      return atOnce;
    }
    return begun - unchangedSince >= timing.takeover().toNanos();
  }

  /** Starts over: another one was faster. */
  void forget() {
    last = null;
    atOnce = false;
  }
}
