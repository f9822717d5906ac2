package io.wings.simulation;

import io.wings.common.wal.LaneRules;
import java.time.Duration;

/**
 * What is out of the ordinary in a workload.
 *
 * @param remembered producers that a lane remembers in each space; 0: as many as is usual
 * @param patience of a client, for an answer
 * @param idle the longest that a client has nothing to say
 * @param naps for how long all but one of a kind of process are paused, again and again; zero:
 *     never
 * @param kind what goes wrong beside that
 */
record Oddities(int remembered, Duration patience, Duration idle, Duration naps, Kind kind) {
  /** Of what goes wrong. */
  enum Kind {
    /** Nothing but what is usual. */
    USUAL,
    /** Some tasks fail, some kill their worker, and there is a table that can't be read. */
    TASKS,
    /** No ingestor ever reaches a broker, and brokers are paused, not ingestors. */
    UNHEARD,
    /** Workers fall asleep in the midst of a pass. */
    DROWSY,
    /** Brokers are paused, not ingestors, and their clocks jump all the time. */
    SKEWED
  }

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration IDLE = Duration.ofSeconds(3);

  /** Nothing. */
  static final Oddities NONE = new Oddities(0, PATIENCE, IDLE, Duration.ZERO, Kind.USUAL);

  static Oddities remembering(int producers) {
    return new Oddities(producers, PATIENCE, IDLE, Duration.ZERO, Kind.USUAL);
  }

  static Oddities naps(Duration naps, Duration patience) {
    return new Oddities(0, patience, IDLE, naps, Kind.USUAL);
  }

  static Oddities tasks(Duration idle) {
    return new Oddities(0, PATIENCE, idle, Duration.ZERO, Kind.TASKS);
  }

  static Oddities unheard(Duration naps, Duration idle) {
    return new Oddities(0, PATIENCE, idle, naps, Kind.UNHEARD);
  }

  static Oddities drowsy(Duration idle) {
    return new Oddities(0, PATIENCE, idle, Duration.ZERO, Kind.DROWSY);
  }

  static Oddities skewed(Duration naps, Duration idle) {
    return new Oddities(0, PATIENCE, idle, naps, Kind.SKEWED);
  }

  boolean tasks() {
    return kind == Kind.TASKS;
  }

  boolean unheard() {
    return kind == Kind.UNHEARD;
  }

  boolean drowsy() {
    return kind == Kind.DROWSY;
  }

  boolean skewed() {
    return kind == Kind.SKEWED;
  }

  /** Whether it is brokers that are paused, all but one, and nothing else ails them. */
  boolean brokersNap() {
    return unheard() || skewed();
  }

  /** The limits that the first segment of a lane sets. */
  LaneRules rules() {
    LaneRules usual = LaneRules.DEFAULT;
    return new LaneRules(
        remembered,
        usual.rejectedRanges(),
        usual.maxTokenBytes(),
        usual.principals(),
        usual.maxStateBytes());
  }
}
