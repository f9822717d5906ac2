package io.wings.common.wal;

import io.wings.common.cluster.LaneId;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A lane's state: a pure function of its log. Whoever applies the same footers, from the first or
 * from any checkpoint, has the same state.
 *
 * <p>Forgetting happens between segments: what was known before a segment is known to all of its
 * entries. Not safe for use by several threads.
 */
public final class LaneState {
  private final LaneId lane;
  private final Space unnamed = new Space("");
  private final TreeMap<String, Space> named = new TreeMap<>();
  private LaneRules rules = LaneRules.DEFAULT;
  private long head;

  /** The state before the first segment. */
  public LaneState(LaneId lane) {
    this.lane = lane;
  }

  /**
   * The state that a footer's checkpoint holds: that before the footer itself.
   *
   * @throws WingsException CORRUPT {@code log-contradiction}
   */
  public static LaneState before(LaneId lane, SegmentFooter footer) {
    Checkpoint checkpoint = footer.checkpoint();
    if (checkpoint == null) {
      throw new IllegalArgumentException("number " + footer.number() + " carries no checkpoint");
    }
    LaneState state = new LaneState(lane);
    state.head = footer.number() - 1;
    state.rules = checkpoint.rules();
    for (Checkpoint.Space stored : checkpoint.spaces()) {
      Space space = state.space(stored.principal());
      space.horizon(stored.horizon());
      stored.producers().forEach(space::name);
    }
    if (!checkpoint.equals(state.checkpoint())) {
      throw state.contradiction(footer, "its checkpoint is not one that a lane can have");
    }
    return state;
  }

  public LaneId lane() {
    return lane;
  }

  /** The last number applied, 0 before the first. */
  public long head() {
    return head;
  }

  public LaneRules rules() {
    return rules;
  }

  /** What is remembered of {@code producer}. */
  public Optional<ProducerState> producer(ProducerKey producer) {
    return Optional.ofNullable(find(producer));
  }

  /** The highest last-seen number of any forgotten producer of {@code producer}'s space. */
  public long horizon(ProducerKey producer) {
    Space space = spaceOf(producer);
    return space == null ? 0 : space.horizon();
  }

  /** Counted size of the whole state; {@code docs/formats/wal.md} says what counts how much. */
  public long bytes() {
    long sum = unnamed.bytes();
    for (Space space : named.values()) {
      sum += space.bytes();
    }
    return sum;
  }

  /** The whole state, as the next number's footer carries it where one is due. */
  public Checkpoint checkpoint() {
    List<Checkpoint.Space> spaces = new ArrayList<>(1 + named.size());
    spaces.add(unnamed.snapshot());
    named.values().forEach(space -> spaces.add(space.snapshot()));
    return new Checkpoint(head, rules, spaces);
  }

  /** Begins the next segment: what it could hold on top of this state. */
  public LaneDraft draft() {
    return new LaneDraft(this);
  }

  /**
   * Goes on to the next number. Changes nothing when it throws.
   *
   * @throws WingsException CORRUPT {@code log-contradiction} when the footer can't follow on this
   *     state, or carries another checkpoint
   */
  public void apply(SegmentFooter footer) {
    if (!footer.isOf(lane) || footer.number() != head + 1) {
      throw contradiction(footer, "number " + (head + 1) + " of this lane was expected");
    }
    if (footer.checkpoint() != null && !footer.checkpoint().equals(checkpoint())) {
      throw contradiction(footer, "its checkpoint differs from the state that the log gives");
    }
    LaneDraft draft = draft();
    for (WalEntry entry : footer.entries()) {
      Verdict verdict = draft.judge(entry);
      if (!(verdict instanceof Verdict.Accepted)) {
        throw contradiction(footer, "it holds " + entry + ", which is " + verdict);
      }
    }
    commit(draft);
  }

  private void commit(LaneDraft draft) {
    head = draft.number();
    for (ProducerState producer : draft.named()) {
      space(producer.producer().space()).name(producer);
    }
    if (!draft.rules().equals(rules)) {
      rules = draft.rules();
      unnamed.trim(rules.rejectedRanges());
      named.values().forEach(space -> space.trim(rules.rejectedRanges()));
    }
    forget();
  }

  /** Over K a space forgets its oldest; over the state's bytes the largest space does. */
  private void forget() {
    forgetOver(unnamed, rules.producersPerSpace());
    named.values().forEach(space -> forgetOver(space, rules.producersPerSpace()));
    long total = bytes();
    while (total > rules.maxStateBytes()) {
      Space largest = unnamed;
      for (Space space : named.values()) {
        if (space.bytes() > largest.bytes()) {
          largest = space;
        }
      }
      if (largest.size() == 0) {
        return;
      }
      total -= largest.bytes();
      largest.evict();
      total += largest.bytes();
    }
  }

  private static void forgetOver(Space space, int limit) {
    while (space.size() > limit) {
      space.evict();
    }
  }

  @Nullable ProducerState find(ProducerKey producer) {
    Space space = spaceOf(producer);
    return space == null ? null : space.get(producer);
  }

  /** Whether {@code principal} has a space of named producers. */
  boolean hasSpace(String principal) {
    return named.containsKey(principal);
  }

  int principals() {
    return named.size();
  }

  private @Nullable Space spaceOf(ProducerKey producer) {
    return producer.named() ? named.get(producer.principal()) : unnamed;
  }

  private Space space(String principal) {
    return principal.isEmpty() ? unnamed : named.computeIfAbsent(principal, Space::new);
  }

  private WingsException contradiction(SegmentFooter footer, String what) {
    return WingsException.corrupt(
        "log-contradiction",
        "segment %d (put %s by %s) can't follow on number %d of lane %s: %s"
            .formatted(footer.number(), footer.putId(), footer.ingestor(), head, lane, what));
  }

  /** For messages. */
  @Override
  public String toString() {
    Map<String, Integer> sizes = new TreeMap<>();
    named.forEach((principal, space) -> sizes.put(principal, space.size()));
    return "lane %s at %d, %d unnamed, named %s".formatted(lane, head, unnamed.size(), sizes);
  }
}
