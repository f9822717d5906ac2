package io.wings.broker.loop;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Calls that came here for another broker: whoever sent them read this process's address in the
 * object, in an epoch that isn't of this process. Safe for use by several threads.
 *
 * <p>Where they last, this broker is the one that clients reach and another is the one that writes:
 * it was taken for dead, its address went to this process, and it is alive after all. It can't tell
 * that by itself, since a host's own name leads every process to its own host. This one can, and
 * takes over.
 *
 * <p>An address behind which two brokers live, by mistake, sends strays to whichever is not active.
 * So that these two don't depose each other for ever, each such takeover doubles how long strays
 * must last for the next.
 */
final class Strays {
  /** Of the time that strays must last: from two takeover times to some minutes. */
  private static final int MAX_DOUBLINGS = 6;

  private final BrokerTiming timing;
  private final ReentrantLock lock = new ReentrantLock();
  private long epoch;
  private long firstAt;
  private long lastAt;
  private int takeovers;

  Strays(BrokerTiming timing) {
    this.timing = timing;
  }

  /**
   * A call was refused.
   *
   * @param callEpoch in which the caller believes
   * @param at on the monotonic clock
   */
  void note(long callEpoch, long at) {
    lock.lock();
    try {
      if (callEpoch < epoch) {
        return;
      }
      // A gap may mean that this process was paused, or that nobody has come here meanwhile.
      if (callEpoch > epoch || at - lastAt > timing.strayGap().toNanos()) {
        epoch = callEpoch;
        firstAt = at;
      }
      lastAt = at;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether clients have come here for the broker of {@code activeEpoch} for long, and still do.
   */
  boolean last(long activeEpoch, long now) {
    lock.lock();
    try {
      long enough = timing.strayTime().toNanos() << takeovers;
      return epoch == activeEpoch
          && now - lastAt <= timing.strayGap().toNanos()
          && lastAt - firstAt >= enough;
    } finally {
      lock.unlock();
    }
  }

  /** This broker has taken over because of them. */
  void heeded() {
    lock.lock();
    try {
      takeovers = Math.min(takeovers + 1, MAX_DOUBLINGS);
    } finally {
      lock.unlock();
    }
  }
}
