package io.wings.common.wal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * How a lane goes on under another incarnation. The next incarnation begins with a segment that
 * holds nothing but a checkpoint, at a number above all that were before it: so what it remembers
 * (epochs, last-seen numbers, horizons) lies before it, as it would in one log, and an older epoch
 * never looks like a newer one.
 */
public final class LaneSuccession {
  private LaneSuccession() {}

  /** The number that the next incarnation begins with. */
  public static long firstNumber(long head) {
    return (head / SegmentFooter.CHECKPOINT_EVERY + 1) * SegmentFooter.CHECKPOINT_EVERY;
  }

  /** Goes on with all producers of {@code state}. */
  public static Checkpoint heir(Checkpoint state, long firstNumber) {
    return new Checkpoint(firstNumber - 1, state.rules(), state.spaces());
  }

  /**
   * Remembers nobody, and that it has forgotten: every producer that a principal named before is
   * told {@code producer-forgotten}, never taken for new.
   *
   * @param principals who may have named producers
   */
  public static Checkpoint forgetful(
      LaneRules rules, Collection<String> principals, long firstNumber) {
    List<Checkpoint.Space> spaces = new ArrayList<>();
    spaces.add(new Checkpoint.Space("", firstNumber - 1, List.of()));
    for (String principal : new TreeSet<>(principals)) {
      if (!principal.isEmpty()) {
        spaces.add(new Checkpoint.Space(principal, firstNumber - 1, List.of()));
      }
    }
    return new Checkpoint(firstNumber - 1, rules, spaces);
  }
}
