package io.wings.worker.materialize;

import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.Watermarks;
import io.wings.worker.ledger.LedgerFile;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a pass will do: a table as freshly loaded, and what follows its watermarks.
 *
 * @param tails one per lane
 */
record PassPlan(AdoptedTable table, List<LaneTail> tails) {
  /** Key in a snapshot's summary: the quarantined segments that its pass stepped over. */
  static final String QUARANTINED = "wings.quarantined";

  /** Numbers in one summary; an audit needs the first, and {@code table.json} has all. */
  private static final int MAX_NAMED = 100;

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

  /** Further entries of the snapshot's summary: {@code lane/number,…} of what was stepped over. */
  Map<String, String> summary() {
    String skipped =
        tails.stream()
            .flatMap(
                tail -> tail.skipped().stream().map(number -> tail.lane().lane() + "/" + number))
            .limit(MAX_NAMED)
            .collect(Collectors.joining(","));
    return skipped.isEmpty() ? Map.of() : Map.of(QUARANTINED, skipped);
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
