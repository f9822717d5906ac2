package io.wings.common.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import io.wings.common.wal.Operation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AwaitedRangesTest {
  private final AwaitedRanges ranges = new AwaitedRanges();

  private void add(long sequence, long through, long position) {
    ranges.add(new AwaitedRange(sequence, through, position));
  }

  private static AwaitedRange range(long sequence, long through, long position) {
    return new AwaitedRange(sequence, through, position);
  }

  @Test
  void batchesOfOneSegmentAreOneRange() {
    add(1, 1, 7);
    add(2, 3, 7);
    add(5, 5, 7);
    add(6, 6, 8);
    assertEquals(List.of(range(1, 3, 7), range(5, 5, 7), range(6, 6, 8)), ranges.ranges());
    assertEquals(List.of(), ranges.take(6));
    assertEquals(List.of(range(1, 3, 7), range(5, 5, 7)), ranges.take(7));
    assertEquals(List.of(range(6, 6, 8)), ranges.take(100));
    assertTrue(ranges.isEmpty());
  }

  /** Trap 21. */
  @Test
  void aBacklogOfAnyLengthIsAFewRangesAndNoneIsToldEarly() {
    for (long sequence = 1; sequence <= 100_000; sequence++) {
      add(sequence, sequence, sequence);
      assertTrue(ranges.ranges().size() <= AwaitedRanges.MAX_RANGES);
    }
    long through = 0;
    for (long watermark = 1; watermark <= 100_000; watermark += 999) {
      for (AwaitedRange taken : ranges.take(watermark)) {
        assertEquals(through + 1, taken.sequence());
        assertTrue(taken.through() <= watermark);
        through = taken.through();
      }
    }
    assertEquals(100_000, ranges.take(100_000).getLast().through());
    assertTrue(ranges.isEmpty());
  }

  @Test
  void rangesThatBecomeOneSayFromWherePositionsAreTheirs() {
    for (long sequence = 1; sequence <= AwaitedRanges.MAX_RANGES + 1; sequence++) {
      ranges.add(new AwaitedRange(sequence, sequence, sequence + 10, sequence + 10L));
    }
    assertEquals(new AwaitedRange(1, 2, 12, 11L), ranges.ranges().getFirst());
    ranges.told(1, 1);
    assertEquals(new AwaitedRange(2, 2, 12, 11L), ranges.ranges().getFirst());
  }

  /** What lies between them was rejected: one range over both would call it visible. */
  @Test
  void rangesWithAGapBetweenThemNeverBecomeOne() {
    WingsException error =
        assertThrows(
            WingsException.class,
            () -> {
              for (long sequence = 1; sequence <= 2_000; sequence += 2) {
                add(sequence, sequence, sequence);
              }
            });
    assertEquals("visible-behind", error.code());
  }

  @Test
  void whatTheClientWasToldIsForgotten() {
    add(1, 10, 5);
    add(11, 20, 6);
    ranges.told(1, 3);
    ranges.told(9, 12);
    assertEquals(List.of(range(4, 8, 5), range(13, 20, 6)), ranges.ranges());
    ranges.told(1, 20);
    assertTrue(ranges.isEmpty());
  }

  @Test
  void whatIsAwaitedTravelsWithAStream() {
    List<AwaitedRange> awaited = new ArrayList<>(List.of(range(1, 3, 7), range(5, 9, 8)));
    StreamRequest request =
        request(Ack.VISIBLE, new StreamRequest.Awaiting("0".repeat(32), awaited));
    assertEquals(request, StreamRequest.of(request.toDescriptor()));
    assertEquals(
        request(Ack.VISIBLE, null), StreamRequest.of(request(Ack.VISIBLE, null).toDescriptor()));
    assertEquals(
        "request-invalid",
        assertThrows(WingsException.class, () -> request(Ack.DURABLE, request.awaiting())).code());
  }

  private static StreamRequest request(Ack ack, StreamRequest.@Nullable Awaiting awaiting) {
    return new StreamRequest(
        "anna",
        new CatalogName("main"),
        List.of("db"),
        "t",
        "p",
        false,
        null,
        1,
        0,
        null,
        Operation.INSERT,
        Create.NEVER,
        OnReject.FAIL,
        ack,
        awaiting,
        null);
  }

  @Test
  void visibleResultsMergeToTheSnapshotThatHoldsBoth() {
    BatchResult first = visible(1, 2, 7, 100L);
    BatchResult second = visible(3, 4, 9, 101L);
    assertEquals(visible(1, 4, 9, 101L), first.mergedWith(second));
    assertEquals(visible(1, 4, 7, 100L), first.mergedWith(visible(3, 4, 5, 99L)));
    assertEquals(visible(1, 4, 9, null), visible(1, 2, 7, null).mergedWith(visible(3, 4, 9, null)));
    assertEquals(first, BatchResult.of(first.toPutResult().getAppMetadata()));
    assertEquals(
        "{\"sequence\":1,\"through\":2,\"status\":\"visible\",\"incarnation\":\"i\",\"lane\":0,"
            + "\"position\":7,\"snapshot_id\":100}",
        first.toPutResult().getAppMetadata().toStringUtf8());
  }

  /** P6: rows that were rolled back are in no snapshot, whatever a client hasn't read. */
  @Test
  void visibleResultsWithoutASnapshotTakeNoneFromTheirNeighbours() {
    assertNull(visible(1, 1, 5, null).mergedWith(visible(2, 2, 6, 103L)));
    assertNull(visible(1, 1, 6, 103L).mergedWith(visible(2, 2, 7, null)));
  }

  private static BatchResult visible(
      long sequence, long through, long position, @Nullable Long snapshot) {
    return new BatchResult(
        sequence, through, BatchStatus.VISIBLE, "i", 0, position, null, snapshot);
  }
}
