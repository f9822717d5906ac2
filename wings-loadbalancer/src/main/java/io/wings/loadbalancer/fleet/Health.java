package io.wings.loadbalancer.fleet;

/**
 * How an ingestor is, as its health checks tell. One that is merely slow keeps its streams: only
 * several checks in a row without an answer make it lost.
 *
 * @param state what follows for its streams
 * @param failures checks in a row without an answer
 */
record Health(State state, int failures) {
  /** Unanswered checks in a row after which an ingestor takes no new streams. */
  static final int FAILURES_TO_SUSPECT = 2;

  /** Unanswered checks in a row after which an ingestor counts as dead. */
  static final int FAILURES_TO_LOSE = 4;

  static final Health UNKNOWN = new Health(State.UNKNOWN, 0);

  /** What follows for streams. */
  enum State {
    /** Not asked yet; takes no streams. */
    UNKNOWN,
    /** Takes streams. */
    SERVING,
    /** Says that it takes no new streams; those that it has go on. */
    DRAINING,
    /** Doesn't answer at the moment; takes no new streams; those that it has go on. */
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

  /** A check that wasn't answered in time. */
  Health unanswered() {
    int now = Math.min(failures + 1, FAILURES_TO_LOSE);
    if (now == FAILURES_TO_LOSE) {
      return new Health(State.LOST, now);
    }
    return new Health(now < FAILURES_TO_SUSPECT ? state : State.SUSPECT, now);
  }

  /** The connection broke, or there is none. */
  Health broken() {
    int now = Math.min(failures + 1, FAILURES_TO_LOSE);
    return new Health(now == FAILURES_TO_LOSE ? State.LOST : State.SUSPECT, now);
  }
}
