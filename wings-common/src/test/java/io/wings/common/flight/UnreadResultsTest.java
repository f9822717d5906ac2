package io.wings.common.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UnreadResultsTest {
  private static final String INCARNATION = "0123456789abcdef0123456789abcdef";

  private static BatchResult result(long sequence, BatchStatus status, long position) {
    return new BatchResult(
        sequence,
        sequence,
        status,
        INCARNATION,
        0,
        position,
        status == BatchStatus.REJECTED ? "bad-batch: row 3" : null);
  }

  private static List<BatchResult> drain(UnreadResults unread) {
    List<BatchResult> all = new ArrayList<>();
    for (BatchResult next = unread.poll(); next != null; next = unread.poll()) {
      all.add(next);
    }
    return all;
  }

  @Test
  void mergesMillionsIntoOneWithTheHighestPosition() {
    UnreadResults unread = new UnreadResults();
    for (long i = 1; i <= 1_000_000; i++) {
      unread.add(result(i, BatchStatus.DURABLE, i == 500 ? 9_999_999 : i));
    }
    assertEquals(1, unread.size());
    BatchResult merged = unread.poll();
    assertEquals(
        new BatchResult(1, 1_000_000, BatchStatus.DURABLE, INCARNATION, 0, 9_999_999, null),
        merged);
    assertNull(unread.poll());
  }

  @Test
  void keepsRejectionsWithTheirReasonsAndTheOrder() {
    UnreadResults unread = new UnreadResults();
    unread.add(result(1, BatchStatus.DUPLICATE, 4));
    unread.add(result(2, BatchStatus.DURABLE, 5));
    unread.add(result(3, BatchStatus.DURABLE, 5));
    unread.add(result(4, BatchStatus.REJECTED, 0));
    unread.add(result(5, BatchStatus.REJECTED, 0));
    unread.add(result(6, BatchStatus.DURABLE, 6));
    List<BatchResult> all = drain(unread);
    assertEquals(List.of(1L, 2L, 4L, 5L, 6L), all.stream().map(BatchResult::sequence).toList());
    assertEquals(List.of(1L, 3L, 4L, 5L, 6L), all.stream().map(BatchResult::through).toList());
    assertEquals("bad-batch: row 3", all.get(2).reason());
  }

  @Test
  void neverMergesAcrossGapsLanesOrIncarnations() {
    BatchResult first = result(1, BatchStatus.DURABLE, 1);
    assertNull(first.mergedWith(result(3, BatchStatus.DURABLE, 1)));
    assertNull(first.mergedWith(result(1, BatchStatus.DURABLE, 1)));
    assertNull(
        first.mergedWith(new BatchResult(2, 2, BatchStatus.DURABLE, INCARNATION, 1, 1, null)));
    assertNull(
        first.mergedWith(new BatchResult(2, 2, BatchStatus.DURABLE, "f".repeat(32), 0, 1, null)));
  }

  /** Trap 21: memory grows with unread results. */
  @Test
  void isBoundedWhateverComes() {
    UnreadResults rejections = new UnreadResults();
    WingsException refused =
        assertThrows(
            WingsException.class,
            () -> {
              for (long i = 1; i < 1_000_000; i++) {
                rejections.add(result(i, BatchStatus.REJECTED, 0));
              }
            });
    assertEquals("results-unread", refused.code());
    assertEquals(UnreadResults.MAX_REJECTIONS, rejections.size());
    UnreadResults alternating = new UnreadResults();
    assertThrows(
        WingsException.class,
        () -> {
          for (long i = 1; i < 1_000_000; i += 2) {
            alternating.add(result(i, BatchStatus.DUPLICATE, 0));
          }
        });
    assertEquals(UnreadResults.MAX_RANGES, alternating.size());
  }

  @Test
  void readingMakesRoomForMoreRejections() {
    UnreadResults unread = new UnreadResults();
    for (long i = 1; i <= 10 * UnreadResults.MAX_REJECTIONS; i++) {
      unread.add(result(i, BatchStatus.REJECTED, 0));
      assertEquals(result(i, BatchStatus.REJECTED, 0), unread.poll());
    }
    assertTrue(unread.isEmpty());
  }

  @Test
  void resultsTravelAsTheDocumentedJson() {
    BatchResult durable = new BatchResult(17, 18, BatchStatus.DURABLE, INCARNATION, 0, 1234, null);
    assertEquals(
        "{\"sequence\":17,\"through\":18,\"status\":\"durable\",\"incarnation\":\""
            + INCARNATION
            + "\",\"lane\":0,\"position\":1234}",
        durable.toPutResult().getAppMetadata().toStringUtf8());
    for (BatchResult result : List.of(durable, result(3, BatchStatus.REJECTED, 0))) {
      assertEquals(result, BatchResult.of(result.toPutResult().getAppMetadata()));
    }
    assertEquals(2, durable.count());
  }

  @Test
  void openReplyIsNoResult() {
    StreamOpened opened = new StreamOpened(new UUID(1, 2), INCARNATION, 3, 4);
    assertEquals(opened, StreamOpened.of(opened.toPutResult().getAppMetadata()));
    assertThrows(WingsException.class, () -> BatchResult.of(opened.toPutResult().getAppMetadata()));
    assertThrows(
        WingsException.class,
        () -> StreamOpened.of(result(1, BatchStatus.DURABLE, 1).toPutResult().getAppMetadata()));
  }
}
