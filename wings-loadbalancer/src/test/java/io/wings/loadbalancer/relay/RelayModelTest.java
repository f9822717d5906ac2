package io.wings.loadbalancer.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.CatalogName;
import io.wings.common.config.ByteSize;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.Create;
import io.wings.common.flight.OnReject;
import io.wings.common.flight.StreamMove;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamRequest;
import io.wings.common.wal.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A relay against ingestors that die, stop, move and lose answers at any point. */
class RelayModelTest {
  private static final UUID TABLE = new UUID(1, 2);
  private static final int BATCHES = 30;

  static StreamRequest request(Create create) {
    return new StreamRequest(
        "anonymous",
        new CatalogName("main"),
        List.of("web"),
        "t",
        "drawn-0",
        false,
        null,
        1,
        0,
        null,
        Operation.INSERT,
        create,
        OnReject.FAIL,
        Ack.DURABLE);
  }

  /** The log that all ingestors share: what is stored, by producer. */
  private static final class Log {
    final Map<String, Long> epochs = new HashMap<>();
    final Map<String, Long> last = new HashMap<>();
    final List<String> stored = new ArrayList<>();
    long head = 7;

    /** As a lane does; null when it is new and stored now. */
    boolean append(String producer, long epoch, long sequence, String payload) {
      long known = last.getOrDefault(producer, 0L);
      if (known > 0) {
        assertEquals(epochs.get(producer), epoch, "a producer keeps its epoch");
      }
      if (sequence <= known) {
        return false;
      }
      assertEquals(known + 1, sequence, "no gap");
      epochs.put(producer, epoch);
      last.put(producer, sequence);
      stored.add(payload);
      head++;
      return true;
    }
  }

  /** One call at an ingestor. */
  private static final class Serving {
    final int call;
    final Log log;
    final ArrayDeque<BatchResult> answers = new ArrayDeque<>();
    final List<String> dictionaries = new ArrayList<>();
    @Nullable StreamRequest request;
    boolean opened;
    boolean moved;
    boolean halfClosed;
    long next;
    long epoch;

    Serving(int call, Log log) {
      this.call = call;
      this.log = log;
    }

    void take(Send<String> send) {
      StreamRequest asked = send.request();
      if (asked != null) {
        request = asked;
        next = asked.firstSequence();
        StreamRequest.Resumption resumption = asked.resumption();
        StreamOpened place = resumption == null ? null : resumption.opened();
        Long known = log.epochs.get(asked.producer());
        epoch = place != null ? place.epoch() : known != null ? known : log.head;
        return;
      }
      String payload = send.payload();
      if (payload.startsWith("d")) {
        dictionaries.removeIf(one -> one.charAt(1) == payload.charAt(1));
        dictionaries.add(payload);
        return;
      }
      StreamRequest asking = Objects.requireNonNull(request, "a batch before the request");
      String needs = payload.substring(payload.indexOf('@') + 1);
      assertEquals(needs, String.join(",", dictionaries), "dictionaries of " + payload);
      boolean fresh = log.append(asking.producer(), epoch, next, payload);
      StreamRequest.Resumption resumption = asking.resumption();
      assertTrue(
          fresh || (resumption != null && next <= resumption.resentThrough()),
          "a batch that is stored is announced as one that may be sent again");
      answers.add(new BatchResult(next, next, BatchStatus.DURABLE, "abc", 0, log.head, null));
      next++;
    }
  }

  private static final class Run {
    final Random random;
    final Log log = new Log();
    final Relay<String> relay;
    final Map<String, Integer> sends = new HashMap<>();
    final List<String> written = new ArrayList<>();
    final List<BatchResult> told = new ArrayList<>();
    final List<String> state = new ArrayList<>();
    @Nullable Serving serving;
    int deaths;
    int names;
    int wanted;
    boolean alone;
    boolean ended;
    @Nullable WingsException error;
    long held;

    Run(long seed, Create create) {
      random = new Random(seed);
      relay =
          new Relay<>(
              request(create),
              () -> request(create).renamed("drawn-" + ++names),
              new RelayLimits(new ByteSize(200), new ByteSize(190)));
    }

    void frame(String payload, Frame.Kind kind) {
      held += 10;
      relay.frame(new Frame<>(payload, kind, 10));
      act();
    }

    void act() {
      for (Action a = relay.nextAction(); a != null; a = relay.nextAction()) {
        assertTrue(!ended || a instanceof Action.Free, "nothing follows the end, got " + a);
        switch (a) {
          case Action.Open(int call, boolean first) -> {
            wanted = call;
            serving = null;
            alone |= first;
          }
          case Action.HalfClose(int call) -> {
            Serving now = Objects.requireNonNull(serving);
            assertEquals(now.call, call);
            now.halfClosed = true;
          }
          case Action.Cancel _ -> serving = null;
          case Action.Leave() -> {
            assertTrue(alone);
            alone = false;
          }
          case Action.Tell(BatchResult result) -> told.add(result);
          case Action.Free(long bytes) -> held -= bytes;
          case Action.End(WingsException with) -> {
            ended = true;
            error = with;
          }
        }
        assertEquals(relay.held(), held);
      }
    }

    void sendOne() {
      Serving now = serving;
      Send<String> send = now == null ? null : relay.nextSend();
      act();
      if (send == null || now == null) {
        return;
      }
      if (send.payload().startsWith("b")) {
        int _ = sends.merge(send.payload(), 1, Integer::sum);
      }
      now.take(send);
    }

    void ingestor() {
      Serving now = serving;
      if (now == null) {
        if (wanted > 0 && !ended) {
          Serving begun = new Serving(wanted, log);
          serving = begun;
          relay.accepted(wanted);
          act();
        }
        return;
      }
      if (now.request != null && !now.opened && random.nextInt(3) > 0) {
        now.opened = true;
        relay.reply(now.call, new StreamOpened(TABLE, "abc", 0, now.epoch));
      } else if (now.opened && !now.answers.isEmpty()) {
        relay.reply(now.call, now.answers.remove());
      } else if (now.halfClosed && now.answers.isEmpty() && (now.opened || now.request == null)) {
        serving = null;
        relay.ended(now.call, new CallEnd.Finished());
      }
      act();
    }

    void fault() {
      Serving now = serving;
      if (now == null || ended) {
        return;
      }
      switch (random.nextInt(4)) {
        case 0 -> {
          if (deaths < 2) {
            deaths++;
            serving = null;
            relay.ended(
                now.call, new CallEnd.Died(WingsException.unavailable("ingestor-lost", "x", null)));
          }
        }
        case 1 -> {
          if (now.request != null && !now.moved && !now.halfClosed) {
            now.moved = true;
            relay.reply(now.call, new StreamMove(StreamMove.Reason.DRAIN));
          }
        }
        case 2 -> {
          if (random.nextInt(4) == 0) {
            serving = null;
            relay.ended(
                now.call,
                new CallEnd.Stopping(WingsException.unavailable("ingestor-stopping", "x", null)));
          }
        }
        default -> {
          // Late words of a call that is over change nothing.
          relay.reply(now.call - 1, new StreamMove(StreamMove.Reason.DRAIN));
          relay.ended(now.call - 1, new CallEnd.Finished());
        }
      }
      act();
    }

    void client() {
      if (!relay.wantsMore() || ended) {
        return;
      }
      if (written.isEmpty() && state.isEmpty()) {
        state.add("");
        frame("s", new Frame.Schema(false));
      } else if (written.size() == BATCHES) {
        relay.clientDone();
        act();
      } else if (random.nextInt(3) == 0) {
        int id = random.nextInt(2);
        String payload = "d" + id + "-" + state.size();
        state.add(payload);
        frame(payload, new Frame.Dictionary(id, false));
      } else {
        // What a reader would have: the last of each, in the order of their last change.
        List<String> dictionaries = new ArrayList<>();
        for (String one : state.subList(1, state.size())) {
          dictionaries.removeIf(other -> other.charAt(1) == one.charAt(1));
          dictionaries.add(one);
        }
        String payload = "b" + written.size() + "@" + String.join(",", dictionaries);
        written.add(payload);
        frame(payload, new Frame.Batch(null));
        deaths = random.nextInt(4) == 0 ? 0 : deaths;
      }
    }
  }

  /** Nothing lost, nothing doubled, whatever dies; dictionaries are those of the batch. Trap 35. */
  @Test
  void storesAndTellsEachBatchOnceWhateverDies() {
    int resent = 0;
    int suspects = 0;
    for (long seed = 0; seed < 3_000; seed++) {
      Run run = new Run(seed, seed % 3 == 0 ? Create.IF_MISSING : Create.NEVER);
      int faults = (int) (seed % 12);
      for (int step = 0; step < 100_000 && !run.ended; step++) {
        switch (run.random.nextInt(4)) {
          case 0 -> run.client();
          case 1 -> run.sendOne();
          case 2 -> run.ingestor();
          default -> {
            if (run.random.nextInt(12) < faults) {
              run.fault();
            }
          }
        }
      }
      assertTrue(run.ended, "seed " + seed + " ends");
      WingsException error = run.error;
      if (error != null) {
        assertTrue(
            List.of("suspect-batch", "ingestor-lost", "ingestor-stopping").contains(error.code()),
            "seed " + seed + ": " + error);
        suspects++;
      } else {
        assertEquals(run.written, run.log.stored, "seed " + seed);
        assertEquals(BATCHES, run.told.stream().mapToLong(BatchResult::count).sum());
      }
      assertEquals(run.log.stored.stream().distinct().toList(), run.log.stored, "seed " + seed);
      for (int i = 0; i < run.told.size(); i++) {
        assertEquals(i + 1, run.told.get(i).sequence(), "seed " + seed);
      }
      assertEquals(0, run.held, "seed " + seed);
      resent += run.sends.values().stream().mapToInt(times -> times - 1).sum();
    }
    assertTrue(resent > 1_000, "frames sent again: " + resent);
    assertTrue(suspects < 1_500, "streams that ended with an error: " + suspects);
  }

  /** Trap 36. Trap 45. */
  @Test
  void batchThatKillsIsSentThreeTimesAndTheLastTimeAlone() {
    Run run = new Run(1, Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    run.frame("b0@", new Frame.Batch(null));
    for (int death = 1; death <= 3; death++) {
      assertEquals(death == 3, run.alone);
      run.ingestor();
      Serving now = Objects.requireNonNull(run.serving);
      run.sendOne();
      now.opened = true;
      run.relay.reply(now.call, new StreamOpened(TABLE, "abc", 0, 7));
      run.act();
      Send<String> send = Objects.requireNonNull(run.relay.nextSend());
      assertEquals("b0@", send.payload());
      assertEquals(death > 1, send.again());
      run.relay.ended(
          now.call, new CallEnd.Died(WingsException.unavailable("ingestor-lost", "x", null)));
      run.act();
    }
    assertEquals("suspect-batch", Objects.requireNonNull(run.error).code());
    assertEquals(0, run.held);
  }

  @Test
  void forgottenStreamThatHasNothingInTheLogGoesOnUnderAnotherName() {
    Run run = new Run(1, Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    serve(run, 2);
    run.frame("b0@", new Frame.Batch(null));
    serve(run, 4);
    assertEquals(1, run.told.size());
    run.frame("b1@", new Frame.Batch(null));
    Send<String> _ = Objects.requireNonNull(run.relay.nextSend());
    run.relay.ended(
        run.wanted, new CallEnd.Refused(WingsException.invalid("producer-forgotten", "long ago")));
    run.act();
    run.serving = null;
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

  private static void serve(Run run, int rounds) {
    for (int i = 0; i < rounds * 4; i++) {
      run.ingestor();
      run.sendOne();
    }
  }

  @Test
  void streamOfAReplacedTableEnds() {
    Run run = new Run(1, Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    serve(run, 3);
    run.relay.ended(
        run.wanted, new CallEnd.Died(WingsException.unavailable("ingestor-lost", "x", null)));
    run.act();
    run.serving = null;
    run.frame("b0@", new Frame.Batch(null));
    run.ingestor();
    run.relay.reply(run.wanted, new StreamOpened(new UUID(9, 9), "abc", 0, 7));
    run.act();
    assertEquals("table-replaced", Objects.requireNonNull(run.error).code());
    assertEquals(List.of(), run.log.stored);
  }

  @Test
  void idleStreamIsOpenedAgainOnlyWhenItHasSomethingToSend() {
    Run run = new Run(1, Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    serve(run, 3);
    int before = run.wanted;
    for (int i = 0; i < 20; i++) {
      run.relay.ended(
          run.wanted, new CallEnd.Died(WingsException.unavailable("ingestor-lost", "x", null)));
      run.act();
    }
    assertEquals(before, run.wanted);
    run.serving = null;
    run.frame("b0@", new Frame.Batch(null));
    assertEquals(before + 1, run.wanted);
    serve(run, 4);
    assertEquals(1, run.told.size());
  }

  @Test
  void readsNoFurtherAtItsBound() {
    Run run = new Run(1, Create.NEVER);
    run.frame("s", new Frame.Schema(false));
    serve(run, 3);
    Serving now = Objects.requireNonNull(run.serving);
    for (int i = 0; run.relay.wantsMore(); i++) {
      run.frame("b" + i + "@", new Frame.Batch(null));
      run.sendOne();
    }
    assertTrue(run.relay.isFull());
    assertEquals(200, run.relay.held());
    run.relay.reply(now.call, now.answers.remove());
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
