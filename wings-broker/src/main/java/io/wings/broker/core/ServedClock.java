package io.wings.broker.core;

import java.time.Duration;

/**
 * A clock that stands still while the broker can't serve: paused, or cut off from the store. Leases
 * run on it, so that workers don't lose them for heartbeats that nobody could hear.
 *
 * <p>It follows the monotonic clock from each proof that the broker serves, for at most {@code
 * maxStep}, and goes on from there at the next proof.
 */
public final class ServedClock {
  private final long maxStepNanos;
  private long provenAt;
  private long servedUntilProof;

  /**
   * Starts at zero, as if proven at {@code monotonicNanos}.
   *
   * @param maxStep the longest time between two proofs that counts in full
   */
  public ServedClock(Duration maxStep, long monotonicNanos) {
    this.maxStepNanos = maxStep.toNanos();
    this.provenAt = monotonicNanos;
  }

  /** Served nanoseconds at {@code monotonicNanos}, which never goes back. */
  public long at(long monotonicNanos) {
    return servedUntilProof + Math.min(monotonicNanos - provenAt, maxStepNanos);
  }

  /** The broker has just been shown to be the active one. */
  public void proven(long monotonicNanos) {
    servedUntilProof = at(monotonicNanos);
    provenAt = monotonicNanos;
  }
}
