package io.wings.simulation;

import io.wings.common.wal.LaneRules;
import java.time.Duration;

/**
 * What is out of the ordinary in a workload.
 *
 * @param remembered producers that a lane remembers in each space; 0: as many as is usual
 * @param patience of a client, for an answer
 * @param idle the longest that a client has nothing to say
 * @param naps for how long all ingestors but one are paused, or all brokers but one, again and
 *     again; zero: never
 * @param tasks some fail, some kill their worker, and there is a table that can't be read
 * @param unheard no ingestor ever reaches a broker, and brokers are paused, not ingestors
 */
record Oddities(
    int remembered,
    Duration patience,
    Duration idle,
    Duration naps,
    boolean tasks,
    boolean unheard) {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration IDLE = Duration.ofSeconds(3);

  /** Nothing. */
  static final Oddities NONE = new Oddities(0, PATIENCE, IDLE, Duration.ZERO, false, false);

  static Oddities remembering(int producers) {
    return new Oddities(producers, PATIENCE, IDLE, Duration.ZERO, false, false);
  }

  static Oddities naps(Duration naps, Duration patience) {
    return new Oddities(0, patience, IDLE, naps, false, false);
  }

  static Oddities tasks(Duration idle) {
    return new Oddities(0, PATIENCE, idle, Duration.ZERO, true, false);
  }

  static Oddities unheard(Duration naps, Duration idle) {
    return new Oddities(0, PATIENCE, idle, naps, false, true);
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
