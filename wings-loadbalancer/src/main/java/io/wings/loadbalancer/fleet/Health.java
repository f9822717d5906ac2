package io.wings.loadbalancer.fleet;

/**
 * How an ingestor is, as its health checks tell.
 *
 * @param state what follows for its streams
 * @param failures checks in a row without an answer
 */
record Health(State state, int failures) {
  /** Checks in a row without an answer after which an ingestor counts as dead. */
  static final int FAILURES_TO_LOSE = 3;

  static final Health UNKNOWN = new Health(State.UNKNOWN, 0);

  /** What follows for streams. */
  enum State {
    /** Not asked yet; takes no streams. */
    UNKNOWN,
    /** Takes streams. */
    SERVING,
    /** Says that it takes no new streams; those that it has go on. */
    DRAINING,
    /** Didn't answer lately; takes no new streams; those that it has go on. */
    SUSPECT,
    /** Dead or cut off: its streams end. */
    LOST
  }

  boolean takesStreams() {
    return state == State.SERVING;
  }

  Health serving() {
    return new Health(State.SERVING, 0);
  }

  Health notServing() {
    return new Health(State.DRAINING, 0);
  }

  /** A check without an answer, or a stream that broke. */
  Health failed() {
    int now = Math.min(failures + 1, FAILURES_TO_LOSE);
    return new Health(now == FAILURES_TO_LOSE ? State.LOST : State.SUSPECT, now);
  }
}
