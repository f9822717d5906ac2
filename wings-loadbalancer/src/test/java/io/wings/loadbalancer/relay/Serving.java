package io.wings.loadbalancer.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.AwaitedRange;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.StreamRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One call at an ingestor of a model, which answers by its log as an ingestor does. */
final class Serving {
  static final String INCARNATION = "abc";

  final int call;
  private final SharedLog log;
  private final ArrayDeque<BatchResult> answers = new ArrayDeque<>();
  private final ArrayDeque<AwaitedRange> waiting = new ArrayDeque<>();
  private final List<String> dictionaries = new ArrayList<>();
  private final ArrayDeque<String> had = new ArrayDeque<>();
  @Nullable StreamRequest request;
  boolean hadSchema;
  boolean opened;
  boolean moved;
  boolean halfClosed;
  long epoch;
  private long next;
  private boolean rejects;

  /** Whether dictionaries came of which the batch hasn't. */
  boolean halfOfABatch;

  /** Index of the batch that was sent last here; -1 before. */
  int lastSent = -1;

  Serving(int call, SharedLog log) {
    this.call = call;
    this.log = log;
  }

  /** The number that the client's payload {@code b<number>@<dictionaries>} has. */
  static int index(String batch) {
    return Integer.parseInt(batch.substring(1, batch.indexOf('@')).replace(SharedLog.BAD, ""));
  }

  void take(Send<String> send) {
    String payload = send.payload();
    hadSchema |= payload.equals("s");
    StreamRequest asked = send.request();
    if (asked != null) {
      request = asked;
      next = asked.firstSequence();
      epoch = log.epoch(asked);
      StreamRequest.Awaiting left = asked.awaiting();
      if (left != null) {
        waiting.addAll(left.ranges());
      }
      return;
    }
    if (payload.equals("s")) {
      return;
    }
    if (payload.startsWith("d")) {
      halfOfABatch = true;
      dictionaries.removeIf(one -> one.charAt(1) == payload.charAt(1));
      dictionaries.add(payload);
      return;
    }
    batch(Objects.requireNonNull(request, "a batch before the request"), payload);
  }

  private void batch(StreamRequest asking, String payload) {
    halfOfABatch = false;
    had.add(payload);
    lastSent = index(payload);
    String needs = payload.substring(payload.indexOf('@') + 1);
    assertEquals(needs, String.join(",", dictionaries), "dictionaries of " + payload);
    long sequence = asking.named() ? index(payload) + 1L : next++;
    boolean fresh = log.append(asking.producer(), epoch, sequence, payload);
    StreamRequest.Resumption resumption = asking.resumption();
    assertTrue(
        fresh || (resumption != null && sequence <= resumption.resentThrough()),
        "a batch that is stored is announced as one that may be sent again");
    boolean refused = log.isRejected(asking.producer(), sequence);
    answers.add(
        new BatchResult(
            sequence,
            sequence,
            refused ? BatchStatus.REJECTED : BatchStatus.DURABLE,
            INCARNATION,
            0,
            log.head(),
            refused ? "bad: a test's" : null));
  }

  /** The next answer, if there is one. */
  @Nullable BatchResult answer() {
    BatchResult result = answers.poll();
    if (result == null) {
      return null;
    }
    had.remove();
    if (result.status() == BatchStatus.REJECTED) {
      rejects = true;
    } else if (Objects.requireNonNull(request).ack() == Ack.VISIBLE) {
      waiting.add(new AwaitedRange(result.sequence(), result.through(), result.position()));
    }
    return result;
  }

  /** That something is visible, if something is waited for. */
  @Nullable BatchResult visible() {
    AwaitedRange range = waiting.poll();
    return range == null
        ? null
        : new BatchResult(
            range.sequence(),
            range.through(),
            BatchStatus.VISIBLE,
            INCARNATION,
            0,
            range.position(),
            null,
            77L);
  }

  /** How it ends, once it has done all; null while it hasn't. */
  @Nullable CallEnd end() {
    boolean sentAll = halfClosed && answers.isEmpty() && (opened || request == null);
    if (!sentAll || (!waiting.isEmpty() && !moved)) {
      return null;
    }
    return rejects
        ? new CallEnd.Refused(WingsException.invalid("batches-rejected", "some were"))
        : new CallEnd.Finished();
  }

  /** Batches that it had, whole, and didn't answer. */
  List<String> had() {
    return List.copyOf(had);
  }
}
