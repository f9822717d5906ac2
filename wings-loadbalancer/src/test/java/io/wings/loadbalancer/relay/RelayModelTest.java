package io.wings.loadbalancer.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.CatalogName;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.Create;
import io.wings.common.flight.OnReject;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamRequest;
import io.wings.common.wal.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A relay against ingestors that die, stop, move and lose answers at any point. */
class RelayModelTest {
  private static final int SEEDS = 2_000;

  static StreamRequest request(Create create) {
    return request(create, OnReject.FAIL, Ack.DURABLE, false);
  }

  static StreamRequest request(Create create, OnReject onReject, Ack ack, boolean named) {
    return new StreamRequest(
        "anonymous",
        new CatalogName("main"),
        List.of("web"),
        "t",
        named ? "loader" : "drawn-0",
        named,
        named ? 5L : null,
        1,
        0,
        null,
        Operation.INSERT,
        create,
        onReject,
        ack);
  }

  private static ModelRun run(Create create) {
    return new ModelRun(1, request(create));
  }

  /**
   * Nothing lost, nothing doubled, whatever dies; dictionaries are those of the batch; and a stream
   * ends with an error exactly when it has to. Trap 35. Trap 36.
   */
  @Test
  void storesAndTellsEachBatchOnceAndEndsWithAnErrorOnlyWhenItHasTo() {
    Map<String, Integer> ends = new HashMap<>();
    int resent = 0;
    int openRepliesLost = 0;
    int survivors = 0;
    int outlived = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      ModelRun run =
          new ModelRun(
              seed,
              request(
                  seed % 3 == 0 ? Create.IF_MISSING : Create.NEVER,
                  seed % 5 == 0 ? OnReject.REPORT : OnReject.FAIL,
                  seed % 2 == 0 ? Ack.VISIBLE : Ack.DURABLE,
                  seed % 7 == 0));
      try {
        run.play((int) (seed % 12));
        assertEndedAsItHadTo(run);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
      String end = run.error == null ? "OK" : run.error.code();
      int _ = ends.merge(end, 1, Integer::sum);
      resent += run.sends.values().stream().mapToInt(times -> times - 1).sum();
      openRepliesLost += run.openRepliesLost;
      outlived += run.outlived;
      survivors += run.verdict.most() == 2 && end.equals("OK") ? 1 : 0;
    }
    assertTrue(resent > 5_000, "frames sent again: " + resent);
    assertTrue(outlived > 1_000, "broken calls that were no deaths: " + outlived);
    assertTrue(openRepliesLost > 10, "open replies lost: " + openRepliesLost);
    assertTrue(survivors > 150, "streams that outlived the second death of a batch: " + survivors);
    assertEquals(
        new HashSet<>(
            List.of(
                "OK", "batches-rejected", "suspect-batch", "ingestor-lost", "ingestor-stopping")),
        ends.keySet());
    ends.forEach((end, count) -> assertTrue(count >= 50, "ends: " + ends));
  }

  private static void assertEndedAsItHadTo(ModelRun run) {
    WingsException error = run.error;
    assertEquals(run.expectedEnd(), error == null ? null : error.code());
    assertEquals(
        run.log.stored.stream().distinct().toList(), run.log.stored, "nothing is stored twice");
    List<Long> told = new ArrayList<>();
    for (BatchResult result : run.told) {
      for (long sequence = result.sequence(); sequence <= result.through(); sequence++) {
        told.add(sequence);
      }
    }
    assertEquals(told.size(), new HashSet<>(told).size(), "nothing is told twice");
    if (run.verdict.end() == null) {
      assertEquals(
          run.written.stream().filter(batch -> !batch.contains(SharedLog.BAD)).toList(),
          run.log.stored);
      assertEquals(ModelRun.BATCHES, told.size(), "all is told");
    }
    assertEquals(0, run.held);
  }

  /** Trap 36. Trap 45. */
  @Test
  void batchThatKillsIsSentThreeTimesAndTheLastTimeAlone() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    run.written.add("b0@");
    run.frame("b0@", new Frame.Batch(null));
    for (int death = 1; death <= 3; death++) {
      assertEquals(death == 3, run.alone);
      run.ingestor();
      run.sendOne();
      run.open(Objects.requireNonNull(run.serving));
      run.sendOne();
      assertEquals(death, run.sends.get("b0@"));
      run.die();
    }
    assertNull(run.error, "until it is seen that all of them are gone");
    assertFalse(run.alone, "others needn't wait for that");
    findAll(run);
    assertEquals("suspect-batch", Objects.requireNonNull(run.error).code());
    assertEquals(0, run.held);
  }

  private static void findAll(ModelRun run) {
    while (!run.inquests.isEmpty() && !run.ended) {
      run.find();
    }
  }

  /** Connections that break within seconds, to processes that live. */
  @Test
  void brokenConnectionsAreNoDeaths() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    run.written.add("b0@");
    run.frame("b0@", new Frame.Batch(null));
    for (int broken = 1; broken <= Relay.MAX_FRUITLESS; broken++) {
      run.ingestor();
      run.sendOne();
      run.open(Objects.requireNonNull(run.serving));
      run.sendOne();
      assertEquals(broken, run.sends.get("b0@"));
      run.breakOff(true);
      if (broken % 3 == 0) {
        int before = run.wanted;
        run.ingestor();
        assertNull(run.serving, "not before it is seen what became of one of them");
        assertEquals(before, run.wanted);
        findAll(run);
      }
    }
    assertNull(run.error);
    serve(run, 4);
    assertFalse(run.alone);
    assertEquals(1, run.told.size());
    run.relay.clientDone();
    serve(run, 4);
    assertNull(run.error);
    assertEquals(List.of("b0@"), run.log.stored, "stored once");
  }

  /** It can't go on for ever; who is told may send again, because nobody died. */
  @Test
  void streamWhoseConnectionsAlwaysBreakIsToldToTryAgain() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    run.written.add("b0@");
    run.frame("b0@", new Frame.Batch(null));
    for (int broken = 0; broken <= Relay.MAX_FRUITLESS; broken++) {
      run.ingestor();
      run.sendOne();
      run.open(Objects.requireNonNull(run.serving));
      run.sendOne();
      run.breakOff(true);
      findAll(run);
    }
    assertEquals("ingestor-lost", Objects.requireNonNull(run.error).code());
    assertEquals(ErrorKind.UNAVAILABLE, Objects.requireNonNull(run.error).kind());
  }

  /** What a client sends on is no sign that it gets on. */
  @Test
  void streamWhoseConnectionsAlwaysBreakEndsAlsoWhereItsClientSendsOn() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    run.frame("blank", new Frame.Blank());
    int rounds = 0;
    for (; rounds < 15 && !run.ended; rounds++) {
      run.written.add("b" + rounds + "@");
      run.frame("b" + rounds + "@", new Frame.Batch(null));
      run.ingestor();
      run.sendOne();
      run.open(Objects.requireNonNull(run.serving));
      for (int unit = 0; unit <= rounds; unit++) {
        run.sendOne();
      }
      assertTrue(run.relay.wantsMore());
      run.breakOff(true);
      findAll(run);
    }
    assertEquals("ingestor-lost", Objects.requireNonNull(run.error).code());
    assertEquals(Relay.MAX_FRUITLESS + 1, rounds);
  }

  /** An ingestor that answered a batch has outlived its dictionaries. */
  @Test
  void batchThatWasntSentHasNoPartInADeath() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    run.frame("d0-1", new Frame.Dictionary(0, false));
    run.written.addAll(List.of("b0@d0-1", "b1@d0-1"));
    run.frame("b0@d0-1", new Frame.Batch(null));
    serve(run, 6);
    assertEquals(1, run.told.size());
    run.frame("b1@d0-1", new Frame.Batch(null));
    run.die();
    for (int death = 1; death <= 2; death++) {
      run.ingestor();
      run.sendOne();
      run.open(Objects.requireNonNull(run.serving));
      run.sendOne();
      assertTrue(Objects.requireNonNull(run.serving).halfOfABatch);
      run.die();
    }
    assertNull(run.error);
    assertTrue(run.alone);
    serve(run, 6);
    assertEquals(2, run.told.size());
  }

  /** Its ingestor says that it is open only once it has the first batch. */
  @Test
  void streamThatMakesItsTableGoesOnAfterTwoIngestorsDiedWithItsSchema() {
    ModelRun run = run(Create.IF_MISSING);
    run.frame("s", new Frame.Schema(false));
    for (int death = 1; death <= 2; death++) {
      run.ingestor();
      run.sendOne();
      run.die();
      run.find();
    }
    assertFalse(run.alone, "others needn't wait for a stream that has nothing to send");
    run.written.add("b0@");
    run.frame("b0@", new Frame.Batch(null));
    assertTrue(run.alone);
    serve(run, 4);
    assertEquals(List.of("b0@"), run.log.stored);
    assertFalse(run.alone);
    assertEquals(1, run.told.size());
  }

  /** Also where the batch was with one of them. */
  @Test
  void firstBatchIsSentAgainWhereTheSchemaWasWithOneMoreDeath() {
    ModelRun run = run(Create.IF_MISSING);
    run.frame("s", new Frame.Schema(false));
    run.ingestor();
    run.sendOne();
    run.die();
    run.frame("d0-1", new Frame.Dictionary(0, false));
    run.written.add("b0@d0-1");
    run.frame("b0@d0-1", new Frame.Batch(null));
    run.ingestor();
    run.sendOne();
    run.sendOne();
    assertTrue(Objects.requireNonNull(run.serving).halfOfABatch);
    run.die();
    assertTrue(run.alone);
    serve(run, 4);
    assertEquals(List.of("b0@d0-1"), run.log.stored);
    assertFalse(run.alone);
    assertEquals(1, run.told.size());
  }

  @Test
  void streamThatNeverSentASchemaIsNoSuspect() {
    ModelRun run = run(Create.IF_MISSING);
    run.frame("x", new Frame.Blank());
    for (int death = 1; death <= 3; death++) {
      run.ingestor();
      run.sendOne();
      run.die();
      assertFalse(run.alone);
    }
    assertNull(run.error);
    run.frame("s", new Frame.Schema(false));
    run.written.add("b0@");
    run.frame("b0@", new Frame.Batch(null));
    serve(run, 4);
    assertEquals(List.of("b0@"), run.log.stored);
  }

  private static void died(ModelRun run) {
    run.serving = null;
    run.relay.ended(
        run.wanted, new CallEnd.Died(WingsException.unavailable("ingestor-lost", "x", null)));
    run.act();
  }

  @Test
  void forgottenStreamThatHasNothingInTheLogGoesOnUnderAnotherName() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    serve(run, 2);
    run.frame("b0@", new Frame.Batch(null));
    serve(run, 4);
    assertEquals(1, run.told.size());
    run.frame("b1@", new Frame.Batch(null));
    Send<String> _ = Objects.requireNonNull(run.relay.nextSend());
    run.serving = null;
    run.relay.ended(
        run.wanted, new CallEnd.Refused(WingsException.invalid("producer-forgotten", "long ago")));
    run.act();
    serve(run, 8);
    Serving now = Objects.requireNonNull(run.serving);
    assertEquals("drawn-1", Objects.requireNonNull(now.request).producer());
    assertEquals(1, Objects.requireNonNull(now.request).firstSequence());
    assertEquals(2, run.told.size());
    assertEquals(2, run.told.getLast().sequence(), "the client's count goes on");
    run.relay.clientDone();
    serve(run, 4);
    assertTrue(run.ended);
    assertNull(run.error);
  }

  @Test
  void refusalThatPassesIsTriedAgainWhileTheLogMayHoldWhatIsUnanswered() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    run.written.add("b0@");
    run.frame("b0@", new Frame.Batch(null));
    run.ingestor();
    run.sendOne();
    run.open(Objects.requireNonNull(run.serving));
    run.sendOne();
    run.die();
    for (int refusal = 2; refusal < Relay.MAX_FRUITLESS; refusal++) {
      refuse(run);
      assertFalse(run.ended, "refusal " + refusal);
    }
    serve(run, 4);
    run.relay.clientDone();
    serve(run, 4);
    assertNull(run.error);
    assertEquals(1, run.told.size());
    assertEquals(List.of("b0@"), run.log.stored, "stored once");
  }

  @Test
  void refusalIsToldWhenNothingWasSent() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    run.frame("b0@", new Frame.Batch(null));
    refuse(run);
    assertEquals("catalog-unavailable", Objects.requireNonNull(run.error).code());
  }

  /** A client may go on in the next log; the stream can't. */
  @Test
  void refusalForAnotherLogIsTold() {
    for (String code : List.of("table-moved", "lane-closed")) {
      ModelRun run = run(Create.NEVER);
      run.frame("s", new Frame.Schema(false));
      run.written.add("b0@");
      run.frame("b0@", new Frame.Batch(null));
      run.ingestor();
      run.sendOne();
      run.open(Objects.requireNonNull(run.serving));
      run.sendOne();
      refuse(run, code);
      assertEquals(code, Objects.requireNonNull(run.error).code());
    }
  }

  private static void refuse(ModelRun run) {
    run.ingestor();
    refuse(run, "catalog-unavailable");
  }

  private static void refuse(ModelRun run, String code) {
    run.relay.ended(run.wanted, new CallEnd.Refused(WingsException.unavailable(code, "x", null)));
    run.act();
  }

  private static void serve(ModelRun run, int rounds) {
    for (int i = 0; i < rounds * 4; i++) {
      run.ingestor();
      run.sendOne();
    }
  }

  @Test
  void streamOfAReplacedTableEnds() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    serve(run, 3);
    died(run);
    run.frame("b0@", new Frame.Batch(null));
    run.ingestor();
    run.relay.reply(run.wanted, new StreamOpened(new UUID(9, 9), Serving.INCARNATION, 0, 7));
    run.act();
    assertEquals("table-replaced", Objects.requireNonNull(run.error).code());
    assertEquals(List.of(), run.log.stored);
  }

  @Test
  void idleStreamIsOpenedAgainOnlyWhenItHasSomethingToSend() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    serve(run, 3);
    int before = run.wanted;
    for (int i = 0; i < 20; i++) {
      died(run);
    }
    assertEquals(before, run.wanted);
    run.frame("b0@", new Frame.Batch(null));
    assertEquals(before + 1, run.wanted);
    serve(run, 4);
    assertEquals(1, run.told.size());
  }

  @Test
  void readsNoFurtherAtItsBound() {
    ModelRun run = run(Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    serve(run, 3);
    Serving now = Objects.requireNonNull(run.serving);
    for (int i = 0; run.relay.wantsMore(); i++) {
      run.frame("b" + i + "@", new Frame.Batch(null));
      run.sendOne();
    }
    assertTrue(run.relay.isFull());
    assertEquals(200, run.relay.held());
    run.relay.reply(now.call, Objects.requireNonNull(now.answer()));
    run.act();
    assertTrue(run.relay.wantsMore());
    run.relay.clientGone();
    run.act();
    assertEquals(0, run.held);
  }

  @Test
  void dictionariesOfDictionariesAreKeptAsTheyCame() {
    DictionaryFrames<String> plain = new DictionaryFrames<>();
    DictionaryFrames<String> nested = new DictionaryFrames<>();
    for (String payload : List.of("d0-1", "d1-1", "d0-2")) {
      Frame<String> frame =
          new Frame<>(payload, new Frame.Dictionary(payload.charAt(1), false), 10);
      long _ = plain.add(frame, false);
      long _ = nested.add(frame, true);
    }
    assertEquals(2, plain.size());
    assertEquals(20, plain.bytes());
    assertEquals(3, nested.size());
  }
}
