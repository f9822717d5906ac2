package io.wings.common.wal;

import java.util.List;

/**
 * A lane's whole state as of the number <em>before</em> the segment that carries it.
 *
 * @param head the last number applied
 * @param spaces the unnamed space first, then principals in ascending order
 */
public record Checkpoint(long head, LaneRules rules, List<Space> spaces) {
  public Checkpoint {
    spaces = List.copyOf(spaces);
  }

  /**
   * Producers that compete for being remembered.
   *
   * @param principal empty for the space of all unnamed producers
   * @param horizon the highest last-seen number of any forgotten producer, 0 when there is none
   * @param producers least recently named first
   */
  public record Space(String principal, long horizon, List<ProducerState> producers) {
    public Space {
      producers = List.copyOf(producers);
    }
  }
}
