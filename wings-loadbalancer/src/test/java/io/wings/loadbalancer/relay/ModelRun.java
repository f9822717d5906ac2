package io.wings.loadbalancer.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.config.ByteSize;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.Create;
import io.wings.common.flight.OnReject;
import io.wings.common.flight.StreamMove;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One stream of a model: a client, a relay, and the ingestors that serve it in turn. */
final class ModelRun {
  static final UUID TABLE = new UUID(1, 2);
  static final int BATCHES = 30;

  final Random random;
  final SharedLog log = new SharedLog();
  final Verdict verdict = new Verdict();
  final Relay<String> relay;
  final List<String> written = new ArrayList<>();
  final List<BatchResult> told = new ArrayList<>();

  /** How often each batch was sent. */
  final Map<String, Integer> sends = new HashMap<>();

  private final StreamRequest request;
  private final List<String> state = new ArrayList<>();
  @Nullable Serving serving;
  int wanted;
  boolean alone;
  boolean ended;
  @Nullable WingsException error;
  long held;

  /** Calls that broke off, of whose ingestors the relay is to be told; alive or not. */
  final Map<Integer, Boolean> inquests = new TreeMap<>();

  /** Ingestors that truly died, by the batches that they had. */
  private final Map<String, Integer> killed = new HashMap<>();

  /** Calls that only seemed to be deaths. */
  int outlived;

  /** Streams that opened again without having heard the first time, and whose batch was stored. */
  int openRepliesLost;

  private boolean everOpened;
  private boolean clientDone;
  private int names;
  private int answered;
  private long visibleThrough;
  private long rejections;

  ModelRun(long seed, StreamRequest request) {
    this.random = new Random(seed);
    this.request = request;
    this.relay =
        new Relay<>(
            request,
            () -> request.renamed("drawn-" + ++names),
            new RelayLimits(new ByteSize(200), new ByteSize(190)));
  }

  /** Plays until the stream ends, with so many faults in 120 steps. */
  void play(int faults) {
    for (int step = 0; step < 100_000 && !ended; step++) {
      switch (random.nextInt(5)) {
        case 0 -> client();
        case 1 -> sendOne();
        case 2 -> ingestor();
        case 3 -> find();
        default -> {
          if (random.nextInt(30) < faults) {
            fault();
          }
        }
      }
      assertEquals(verdict.end() != null, ended && !endedWell(), "ended when it had to");
    }
    assertTrue(ended, "it ends");
  }

  private boolean endedWell() {
    return error == null || error.code().equals("batches-rejected");
  }

  /** What it has to end with; null for OK. */
  @Nullable String expectedEnd() {
    return verdict.end() != null ? verdict.end() : rejections > 0 ? "batches-rejected" : null;
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
        case Action.Open(int call, boolean first, int _) -> {
          assertFalse(verdict.isHeld(), "nothing is sent while more is to be seen");
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
        case Action.FindOut(int call) -> {
          Boolean _ = inquests.putIfAbsent(call, false);
        }
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
    String payload = send.payload();
    if (payload.startsWith("b")) {
      int _ = sends.merge(payload, 1, Integer::sum);
      assertTrue(killed.getOrDefault(payload, 0) < 3, "no fourth ingestor dies of it");
      assertEquals(verdict.deaths(payload) > 0, send.again());
      int before = Math.max(verdict.deaths(payload), verdict.schemaDeaths());
      assertEquals(before == 2, alone, "the third time alone, and only then");
    }
    now.take(send);
    StreamRequest asked = send.request();
    if (asked != null
        && asked.resumption() != null
        && !everOpened
        && log.epoch(asked.producer()) != null) {
      openRepliesLost++;
    }
  }

  void ingestor() {
    Serving now = serving;
    if (now == null) {
      if (wanted > 0 && !ended && !isIdle()) {
        serving = new Serving(wanted, log);
        relay.accepted(wanted);
        act();
      }
      return;
    }
    if (now.request != null && !now.opened && isTableThere() && random.nextInt(3) > 0) {
      open(now);
    } else if (now.opened) {
      answer(now);
    }
    CallEnd end = now.end();
    if (end != null && serving == now) {
      over(now, end);
    }
    act();
  }

  /** The first batch makes it, where a stream may. */
  private boolean isTableThere() {
    return request.create() == Create.NEVER || !log.isEmpty();
  }

  /** Whether no call was asked for since the last one ended. */
  private boolean isIdle() {
    return over == wanted;
  }

  /** The last call that is over. */
  private int over;

  void open(Serving now) {
    now.opened = true;
    everOpened = true;
    verdict.opened();
    relay.reply(now.call, new StreamOpened(TABLE, Serving.INCARNATION, 0, now.epoch));
    act();
  }

  private void answer(Serving now) {
    boolean looks = random.nextInt(3) == 0;
    BatchResult result = looks ? now.visible() : now.answer();
    if (result == null) {
      return;
    }
    verdict.gotOn();
    if (looks) {
      visibleThrough = result.through();
    } else {
      answered++;
      rejections += result.reason() == null ? 0 : 1;
    }
    relay.reply(now.call, result);
    act();
  }

  /** The present call ends as the ingestor says. */
  private void over(Serving now, CallEnd end) {
    if (now.moved) {
      goOn("ingestor-lost");
    }
    serving = null;
    over = now.call;
    relay.ended(now.call, end);
    act();
  }

  private void goOn(String code) {
    if (!isAnswered()) {
      verdict.again(code);
    }
  }

  private boolean isAnswered() {
    boolean shown = request.ack() == Ack.DURABLE || visibleThrough == answered;
    return clientDone && everOpened && answered == written.size() && shown;
  }

  /** An ingestor dies with what it has. */
  void die() {
    breakOff(false);
  }

  /** The call breaks off; its ingestor is seen dead, or alive, some time later. */
  void breakOff(boolean alive) {
    Serving now = Objects.requireNonNull(serving);
    List<String> had = new ArrayList<>(now.had());
    if (now.halfOfABatch) {
      had.add(written.get(now.lastSent < 0 ? answered : now.lastSent + 1));
    }
    boolean schema = now.hadSchema && !now.opened;
    if (!had.isEmpty() || schema || !isAnswered()) {
      verdict.died(now.call, had, schema);
    }
    if (!alive) {
      had.forEach(batch -> killed.merge(batch, 1, Integer::sum));
    }
    serving = null;
    over = now.call;
    inquests.put(now.call, alive);
    relay.ended(now.call, new CallEnd.Died(WingsException.unavailable("ingestor-lost", "x", null)));
    if (had.isEmpty() && !schema) {
      Boolean _ = inquests.remove(now.call);
    }
    act();
  }

  /** It is seen what became of one of the ingestors whose call broke off. */
  void find() {
    if (inquests.isEmpty() || ended) {
      return;
    }
    List<Integer> calls = List.copyOf(inquests.keySet());
    int call = calls.get(random.nextInt(calls.size()));
    boolean alive = Objects.requireNonNull(inquests.remove(call));
    verdict.settled(call, alive);
    if (alive) {
      outlived++;
      relay.outlived(call);
    } else {
      relay.gone(call);
    }
    act();
  }

  private void fault() {
    Serving now = serving;
    if (now == null || ended) {
      return;
    }
    switch (random.nextInt(5)) {
      case 0 -> die();
      case 1 -> breakOff(true);
      case 2 -> {
        if (now.request != null && !now.moved && !now.halfClosed) {
          now.moved = true;
          relay.reply(now.call, new StreamMove(StreamMove.Reason.DRAIN));
        }
      }
      case 3 -> {
        goOn("ingestor-stopping");
        serving = null;
        over = now.call;
        relay.ended(
            now.call,
            new CallEnd.Stopping(WingsException.unavailable("ingestor-stopping", "x", null)));
      }
      default -> {
        // Late words of a call that is over change nothing.
        relay.reply(now.call - 1, new StreamMove(StreamMove.Reason.DRAIN));
        relay.ended(now.call - 1, new CallEnd.Finished());
      }
    }
    act();
  }

  private void client() {
    if (!relay.wantsMore() || ended) {
      return;
    }
    if (state.isEmpty()) {
      state.add("");
      frame("s", new Frame.Schema(false));
    } else if (written.size() == BATCHES) {
      clientDone = true;
      relay.clientDone();
      act();
    } else if (random.nextInt(3) == 0) {
      int id = random.nextInt(2);
      String payload = "d" + id + "-" + state.size();
      state.add(payload);
      frame(payload, new Frame.Dictionary(id, false));
    } else {
      batch();
    }
  }

  private void batch() {
    // What a reader would have: the last of each, in the order of their last change.
    List<String> dictionaries = new ArrayList<>();
    for (String one : state.subList(1, state.size())) {
      dictionaries.removeIf(other -> other.charAt(1) == one.charAt(1));
      dictionaries.add(one);
    }
    boolean bad = request.onReject() == OnReject.REPORT && written.size() % 7 == 3;
    String payload =
        "b" + written.size() + (bad ? SharedLog.BAD : "") + "@" + String.join(",", dictionaries);
    written.add(payload);
    frame(payload, new Frame.Batch(request.named() ? (long) written.size() : null));
  }
}
