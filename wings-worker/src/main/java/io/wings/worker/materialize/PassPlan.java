package io.wings.worker.materialize;

import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.Watermarks;
import io.wings.worker.ledger.LedgerFile;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a pass will do: a table as freshly loaded, and what follows its watermarks.
 *
 * @param tails one per lane
 */
record PassPlan(AdoptedTable table, List<LaneTail> tails) {
  PassPlan {
    tails = List.copyOf(tails);
  }

  boolean isEmpty() {
    return tails.stream().allMatch(LaneTail::isEmpty);
  }

  /** Whether a limit of the pass leaves work for another. */
  boolean more() {
    return tails.stream().anyMatch(LaneTail::more);
  }

  List<Prefetch.Source> sources() {
    List<Prefetch.Source> sources = new ArrayList<>();
    for (LaneTail tail : tails) {
      tail.segments().forEach(segment -> sources.add(new Prefetch.Source(tail.lane(), segment)));
    }
    return sources;
  }

  /** The watermarks once the pass has landed. */
  Watermarks after() {
    Watermarks after = table.watermarks();
    for (LaneTail tail : tails) {
      after = after.raise(tail.lane().lane(), tail.last());
    }
    return after;
  }

  List<LedgerFile.Range> ranges() {
    return tails.stream()
        .filter(tail -> !tail.isEmpty())
        .map(tail -> new LedgerFile.Range(tail.lane().lane(), tail.watermark() + 1, tail.last()))
        .toList();
  }

  long bytes() {
    return tails.stream().mapToLong(LaneTail::bytes).sum();
  }

  /** When the oldest segment was written, by the store's clock; null when there is none. */
  @Nullable Instant oldest() {
    return sources().stream()
        .map(source -> source.segment().modified())
        .min(Instant::compareTo)
        .orElse(null);
  }
}
