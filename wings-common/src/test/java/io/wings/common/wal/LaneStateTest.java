package io.wings.common.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaneStateTest {
  private static final ProducerKey ADA = ProducerKey.named("ada", "orders");
  private static final ProducerKey STREAM = ProducerKey.unnamed("ada", "s-1");
  private static final Verdict ACCEPTED = new Verdict.Accepted();

  private final LogWriter log = new LogWriter();

  @Test
  void answersARetryInsteadOfStoringItTwice() {
    long epoch = log.open(ADA);
    assertEquals(ACCEPTED, log.batch(ADA, epoch, 1));
    assertEquals(ACCEPTED, log.batch(ADA, epoch, 2));
    assertEquals(new Verdict.Duplicate(2), log.batch(ADA, epoch, 1), "within the segment");
    long number = log.land();
    assertEquals(new Verdict.Duplicate(number), log.batch(ADA, epoch, 1));
    assertEquals(new Verdict.Duplicate(number), log.batch(ADA, epoch, 2));
    assertEquals(ACCEPTED, log.batch(ADA, epoch, 3));
  }

  @Test
  void namesTheExpectedSequenceAtAGap() {
    long epoch = log.open(ADA);
    assertEquals(new Verdict.Gap(1), log.batch(ADA, epoch, 2));
    log.batch(ADA, epoch, 1);
    assertEquals(new Verdict.Gap(2), log.batch(ADA, epoch, 3));
    assertEquals(new Verdict.Gap(1), log.batch(STREAM, 0, 2));
  }

  @Test
  void fencesOlderEpochsAndGoesOnWithTheSequence() {
    long first = log.open(ADA);
    log.batch(ADA, first, 1, "kafka:0:5");
    log.land();
    long second = log.open(ADA);
    assertTrue(second > first);
    assertEquals(new Verdict.Fenced(second), log.batch(ADA, first, 2));
    assertEquals(new Verdict.Fenced(second), log.batch(ADA, first, 1), "also for a retry");
    assertEquals(ACCEPTED, log.batch(ADA, second, 2));
    ProducerState state = log.state().producer(ADA).orElseThrow();
    assertEquals(1, state.lastSequence());
    assertEquals("kafka:0:5", state.token());
  }

  @Test
  void fencesWithinOneSegmentFromTheRecordOn() {
    long first = log.open(ADA);
    assertEquals(ACCEPTED, log.batch(ADA, first, 1));
    assertEquals(ACCEPTED, log.add(new EpochRecord(ADA)));
    assertInstanceOf(Verdict.Fenced.class, log.batch(ADA, first, 2));
    assertEquals(new Verdict.Deferred(), log.add(new EpochRecord(ADA)), "two epochs would be one");
    long second = log.land();
    assertEquals(second, log.state().producer(ADA).orElseThrow().epoch());
    assertEquals(1, log.state().producer(ADA).orElseThrow().lastSequence());
  }

  @Test
  void refusesEpochsThatNoRecordGave() {
    assertEquals(new Verdict.UnknownEpoch(), log.batch(ADA, 5, 1));
    long epoch = log.open(ADA);
    assertEquals(new Verdict.UnknownEpoch(), log.batch(ADA, epoch + 1, 1));
    assertEquals(
        new Verdict.UnknownEpoch(),
        log.batch(STREAM, log.state().head() + 1, 1),
        "an unnamed stream can't have opened at a head to come");
  }

  /** Trap 32: a rejected sequence, corrected, is answered duplicate. */
  @Test
  void answersARejectedSequenceAsRejectedNeverAsDuplicate() {
    long epoch = log.open(ADA);
    log.batch(ADA, epoch, 1);
    assertEquals(ACCEPTED, log.reject(ADA, epoch, 2));
    log.batch(ADA, epoch, 3);
    long number = log.land();
    assertEquals(new Verdict.Rejected(number), log.batch(ADA, epoch, 2));
    assertEquals(new Verdict.Rejected(number), log.reject(ADA, epoch, 2));
    assertEquals(new Verdict.Duplicate(number), log.batch(ADA, epoch, 1));
    assertEquals(new Verdict.Duplicate(number), log.reject(ADA, epoch, 3), "what is stored stays");
    assertEquals(ACCEPTED, log.batch(ADA, epoch, 4));
  }

  @Test
  void mergesNeighbouringRejectionsIntoOneRange() {
    long epoch = log.open(ADA);
    log.reject(ADA, epoch, 1);
    log.reject(ADA, epoch, 2);
    log.batch(ADA, epoch, 3);
    log.reject(ADA, epoch, 4);
    log.land();
    assertEquals(
        List.of(new SequenceRange(1, 2), new SequenceRange(4, 4)),
        log.state().producer(ADA).orElseThrow().rejected());
  }

  @Test
  void answersPassedBelowTheFloorOfRememberedRejections() {
    log.add(new RulesRecord(new LaneRules(8, 2, 16, 4, 1 << 20)));
    long epoch = log.open(ADA);
    for (int sequence = 1; sequence <= 6; sequence += 2) {
      log.reject(ADA, epoch, sequence);
      log.batch(ADA, epoch, sequence + 1);
    }
    long number = log.land();
    assertEquals(new Verdict.Passed(number), log.batch(ADA, epoch, 1));
    assertEquals(new Verdict.Duplicate(number), log.batch(ADA, epoch, 2));
    assertEquals(new Verdict.Rejected(number), log.batch(ADA, epoch, 3));
    assertEquals(new Verdict.Rejected(number), log.batch(ADA, epoch, 5));
  }

  /** Trap 34: a forgotten producer is taken for new. */
  @Test
  void tellsAForgottenProducerSo() {
    log.add(new RulesRecord(new LaneRules(2, 4, 16, 4, 1 << 20)));
    long epoch = log.open(ADA);
    log.batch(ADA, epoch, 1);
    long lastSeen = log.land();
    log.open(ProducerKey.named("ada", "b"));
    log.open(ProducerKey.named("ada", "c"));
    assertTrue(log.state().producer(ADA).isEmpty());
    assertEquals(lastSeen, log.state().horizon(ADA));
    assertEquals(new Verdict.Forgotten(lastSeen), log.batch(ADA, epoch, 2));
    assertEquals(new Verdict.Forgotten(lastSeen), log.batch(ADA, epoch, 1));
    long reborn = log.open(ADA);
    assertEquals(ACCEPTED, log.batch(ADA, reborn, 1), "a new epoch is a new birth");
    assertEquals(new Verdict.Fenced(reborn), log.batch(ADA, epoch, 2));
  }

  @Test
  void forgetsTheLeastRecentlyNamed() {
    log.add(new RulesRecord(new LaneRules(2, 4, 16, 4, 1 << 20)));
    long epoch = log.open(ADA);
    log.open(ProducerKey.named("ada", "b"));
    log.batch(ADA, epoch, 1);
    log.land();
    log.open(ProducerKey.named("ada", "c"));
    assertTrue(log.state().producer(ADA).isPresent());
    assertTrue(log.state().producer(ProducerKey.named("ada", "b")).isEmpty());
  }

  @Test
  void tellsAForgottenUnnamedStreamSoButNotOneThatOpensNow() {
    log.add(new RulesRecord(new LaneRules(2, 4, 16, 4, 1 << 20)));
    log.batch(STREAM, 0, 1);
    log.batch(ProducerKey.unnamed("ada", "s-2"), 0, 1);
    log.batch(ProducerKey.unnamed("ada", "s-3"), 0, 1);
    long number = log.land();
    assertEquals(number, log.state().horizon(STREAM));
    assertEquals(new Verdict.Forgotten(number), log.batch(STREAM, 0, 2));
    assertEquals(
        ACCEPTED,
        log.batch(ProducerKey.unnamed("ada", "s-4"), number, 1),
        "it opened after all that was forgotten");
  }

  /** Trap 48: one principal's producers evict another's. */
  @Test
  void keepsPrincipalsApart() {
    log.add(new RulesRecord(new LaneRules(2, 4, 16, 2, 1 << 20)));
    long epoch = log.open(ADA);
    for (int i = 0; i < 10; i++) {
      log.open(ProducerKey.named("bob", "p" + i));
      log.batch(ProducerKey.unnamed("bob", "s" + i), log.state().head(), 1);
      log.land();
    }
    assertEquals(ACCEPTED, log.batch(ADA, epoch, 1));
    Verdict third = log.add(new EpochRecord(ProducerKey.named("eve", "p")));
    assertEquals(
        "too-many-principals", assertInstanceOf(Verdict.OverLimit.class, third).error().code());
    assertEquals(ACCEPTED, log.add(new EpochRecord(ProducerKey.named("bob", "more"))));
  }

  /** Trap 48, by bytes: who fills the state forgets its own. */
  @Test
  void forgetsInTheLargestSpaceWhenTheStateIsFull() {
    log.add(new RulesRecord(new LaneRules(1000, 4, 1000, 100, 10_000)));
    long epoch = log.open(ADA);
    for (int i = 0; i < 50; i++) {
      ProducerKey big = ProducerKey.named("bob", "p" + i);
      long opened = log.open(big);
      assertEquals(ACCEPTED, log.batch(big, opened, 1, "t".repeat(1000)));
      log.land();
      assertTrue(log.state().bytes() <= 10_000);
    }
    assertEquals(ACCEPTED, log.batch(ADA, epoch, 1));
    assertTrue(log.state().horizon(ProducerKey.named("bob", "p0")) > 0);
  }

  @Test
  void refusesTokensAboveTheLanesLimit() {
    long epoch = log.open(ADA);
    Verdict verdict = log.batch(ADA, epoch, 1, "é".repeat(513));
    assertEquals(
        "token-too-long", assertInstanceOf(Verdict.OverLimit.class, verdict).error().code());
    assertEquals(
        "token-too-long",
        assertInstanceOf(Verdict.OverLimit.class, log.batch(ADA, epoch, 1, "\ud800"))
            .error()
            .code());
    assertEquals(ACCEPTED, log.batch(ADA, epoch, 1, "é".repeat(512)), "the sequence is still free");
  }

  @Test
  void stopsAtACheckpointThatDiffersFromItsOwnState() {
    LogWriter other = new LogWriter();
    other.open(ProducerKey.named("eve", "x"));
    while (log.state().head() < 254) {
      log.batch(STREAM, 0, log.state().head() + 1);
      log.land();
    }
    log.land();
    SegmentFooter honest = LogWriter.footer(256, List.of(), log.state());
    Checkpoint lie = new Checkpoint(255, LaneRules.DEFAULT, other.state().checkpoint().spaces());
    SegmentFooter footer =
        new SegmentFooter(
            honest.table(),
            honest.incarnation(),
            honest.lane(),
            256,
            honest.putId(),
            honest.ingestor(),
            honest.written(),
            honest.schemas(),
            honest.entries(),
            lie);
    Checkpoint before = log.state().checkpoint();
    WingsException e = assertThrows(WingsException.class, () -> log.state().apply(footer));
    assertEquals("log-contradiction", e.code());
    assertEquals(before, log.state().checkpoint(), "and changes nothing");
    log.state().apply(honest);
  }

  @Test
  void refusesAFooterThatDoesNotFollow() {
    long epoch = log.open(ADA);
    LaneState state = log.state();
    WalEntry second = batchEntry(ADA, epoch, 2);
    for (SegmentFooter wrong :
        List.of(
            LogWriter.footer(1, List.of(), state),
            LogWriter.footer(3, List.of(), state),
            LogWriter.footer(2, List.of(second), state))) {
      WingsException e = assertThrows(WingsException.class, () -> state.apply(wrong));
      assertEquals("log-contradiction", e.code());
    }
    state.apply(LogWriter.footer(2, List.of(batchEntry(ADA, epoch, 1)), state));
  }

  private static BatchEntry batchEntry(ProducerKey producer, long epoch, long sequence) {
    return new BatchEntry(
        producer, epoch, sequence, null, Operation.INSERT, 1, 8, 0, new Block(16, 8, 0));
  }
}
