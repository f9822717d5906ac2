package io.wings.common.wal;

import io.wings.common.error.WingsException;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The next segment in the making: judges each entry by the state and the entries accepted before
 * it. Reading a log and writing one go through the same judgement. Good until the state changes.
 */
public final class LaneDraft {
  private static final Verdict.Accepted ACCEPTED = new Verdict.Accepted();

  private final LaneState state;
  private final long number;
  private LaneRules rules;

  /** Producers that accepted entries name, least recently named first. */
  private final LinkedHashMap<ProducerKey, ProducerState> named = new LinkedHashMap<>();

  private final Set<ProducerKey> opened = new HashSet<>();
  private final Set<String> newPrincipals = new HashSet<>();

  LaneDraft(LaneState state) {
    this.state = state;
    this.number = state.head() + 1;
    this.rules = state.rules();
  }

  /** The number that this segment would have. */
  public long number() {
    return number;
  }

  LaneRules rules() {
    return rules;
  }

  Collection<ProducerState> named() {
    return named.values();
  }

  /** What is known of {@code producer} after the entries accepted so far. */
  public @Nullable ProducerState producer(ProducerKey producer) {
    ProducerState drafted = named.get(producer);
    return drafted != null ? drafted : state.find(producer);
  }

  /** Judges an entry; one that is {@link Verdict.Accepted} is part of the draft from here on. */
  public Verdict judge(WalEntry entry) {
    return switch (entry) {
      case BatchEntry batch ->
          batch(batch.producer(), batch.epoch(), batch.sequence(), batch.token());
      case RejectedEntry rejected ->
          rejected(rejected.producer(), rejected.epoch(), rejected.sequence());
      case EpochRecord epoch -> epoch(epoch.producer());
      case RulesRecord changed -> {
        rules = changed.rules();
        yield ACCEPTED;
      }
    };
  }

  /** Judges a sequence without making it part of the draft. */
  public Verdict look(ProducerKey key, long epoch, long sequence) {
    return sequence(key, epoch, sequence);
  }

  /** Judges a batch by what its entry would say. */
  public Verdict batch(ProducerKey key, long epoch, long sequence, @Nullable String token) {
    Verdict verdict = sequence(key, epoch, sequence);
    if (!(verdict instanceof Verdict.Accepted)) {
      return verdict;
    }
    if (token != null) {
      int bytes = Utf8.length(token);
      if (bytes < 0 || bytes > rules.maxTokenBytes()) {
        return new Verdict.OverLimit(
            WingsException.invalid(
                "token-too-long",
                "a token has at most %d bytes of UTF-8, got %s"
                    .formatted(
                        rules.maxTokenBytes(), bytes < 0 ? "text that isn't Unicode" : bytes)));
      }
    }
    name(known(key, epoch).stored(token, number));
    return ACCEPTED;
  }

  private Verdict rejected(ProducerKey key, long epoch, long sequence) {
    Verdict verdict = sequence(key, epoch, sequence);
    if (verdict instanceof Verdict.Accepted) {
      name(known(key, epoch).refused(number, rules.rejectedRanges()));
    }
    return verdict;
  }

  private Verdict epoch(ProducerKey key) {
    if (!key.named()) {
      throw new IllegalArgumentException("an unnamed producer has no epoch records: " + key);
    }
    if (opened.contains(key)) {
      return new Verdict.Deferred();
    }
    ProducerState known = producer(key);
    String principal = key.principal();
    boolean fresh = !state.hasSpace(principal) && !newPrincipals.contains(principal);
    if (fresh && state.principals() + newPrincipals.size() >= rules.principals()) {
      return new Verdict.OverLimit(
          WingsException.invalid(
              "too-many-principals",
              "at most %d principals can have named producers in one lane; write without a producer,"
                      .formatted(rules.principals())
                  + " or as one of those principals"));
    }
    if (fresh) {
      newPrincipals.add(principal);
    }
    opened.add(key);
    name(known == null ? ProducerState.born(key, number, number) : known.withEpoch(number, number));
    return ACCEPTED;
  }

  private Verdict sequence(ProducerKey key, long epoch, long sequence) {
    ProducerState known = producer(key);
    if (known == null) {
      return unknown(key, epoch, sequence);
    }
    if (epoch != known.epoch()) {
      return epoch < known.epoch() ? new Verdict.Fenced(known.epoch()) : new Verdict.UnknownEpoch();
    }
    if (sequence > known.lastSequence()) {
      return sequence == known.lastSequence() + 1
          ? ACCEPTED
          : new Verdict.Gap(known.lastSequence() + 1);
    }
    if (sequence <= known.floor()) {
      return new Verdict.Passed(known.lastSeen());
    }
    return known.rejected().stream().anyMatch(range -> range.contains(sequence))
        ? new Verdict.Rejected(known.lastSeen())
        : new Verdict.Duplicate(known.lastSeen());
  }

  /**
   * A producer that the lane doesn't know. A named one's epoch is a number that named it, so it is
   * forgotten at or below the horizon. An unnamed one's is the head before any of its batches, so
   * one that was forgotten has a horizon above it.
   */
  private Verdict unknown(ProducerKey key, long epoch, long sequence) {
    long horizon = state.horizon(key);
    if (key.named()) {
      return horizon > 0 && epoch <= horizon
          ? new Verdict.Forgotten(horizon)
          : new Verdict.UnknownEpoch();
    }
    if (epoch < horizon) {
      return new Verdict.Forgotten(horizon);
    }
    if (epoch >= number) {
      return new Verdict.UnknownEpoch();
    }
    return sequence == 1 ? ACCEPTED : new Verdict.Gap(1);
  }

  private ProducerState known(ProducerKey key, long epoch) {
    ProducerState known = producer(key);
    return known != null ? known : ProducerState.born(key, epoch, number);
  }

  private void name(ProducerState producer) {
    named.putLast(producer.producer(), producer);
  }
}
