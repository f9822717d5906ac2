package io.wings.worker.sweep;

import io.wings.common.cluster.TableId;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The first and the last segment of each lane of one table, and its oldest ledger, as a listing
 * passes over them.
 */
final class TableHeads {
  /** Lanes and incarnations together; more than any table comes to. */
  private static final int MAX_LANES = 10_000;

  private record Lane(String incarnation, int lane) {}

  /**
   * What a lane holds.
   *
   * @param first its lowest number
   * @param modified when that was written, by the store's clock
   * @param last its highest number
   */
  record Span(long first, Instant modified, long last) {}

  private final TableId table;
  private final Map<Lane, Span> spans = new HashMap<>();
  private @Nullable Instant oldestLedger;

  TableHeads(TableId table) {
    this.table = table;
  }

  TableId table() {
    return table;
  }

  /** Numbers of a lane come in ascending order. */
  void saw(String incarnation, int lane, long number, Instant modified) {
    Lane key = new Lane(incarnation, lane);
    Span before = spans.get(key);
    if (before != null) {
      spans.put(key, new Span(before.first(), before.modified(), number));
    } else if (spans.size() < MAX_LANES) {
      spans.put(key, new Span(number, modified, number));
    }
  }

  void sawLedger(Instant modified) {
    if (oldestLedger == null || modified.isBefore(oldestLedger)) {
      oldestLedger = modified;
    }
  }

  /** When the ledger that has been left alone longest was written; null without ledgers. */
  @Nullable Instant oldestLedger() {
    return oldestLedger;
  }

  /** Empty when the lane has no segment. */
  Optional<Span> span(String incarnation, int lane) {
    return Optional.ofNullable(spans.get(new Lane(incarnation, lane)));
  }
}
