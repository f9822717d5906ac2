package io.wings.worker.materialize;

import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.wal.Operation;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentReader;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says what a table lost with the quarantined segments that a pass stepped over. */
final class QuarantineLosses {
  private static final Logger LOG = LoggerFactory.getLogger(QuarantineLosses.class);

  private final SegmentReader reader;
  private final PassObserver observer;

  QuarantineLosses(ObjectStore store, PassObserver observer) {
    this.reader = new SegmentReader(store);
    this.observer = observer;
  }

  /** Of one lane, once the pass has landed. */
  void report(LaneTail tail) {
    for (long number : tail.skipped()) {
      Optional<SegmentFooter> footer = footer(tail, number);
      if (footer.isPresent()) {
        SegmentFooter of = footer.get();
        long deletes =
            of.batches().stream().filter(entry -> entry.operation() == Operation.DELETE).count();
        LOG.warn(
            "lane {}: segment {} is quarantined: {} batches, {} of them deletes, and {} rows are not"
                + " in the table",
            tail.lane(),
            number,
            of.batches().size(),
            deletes,
            of.rows());
        observer.lost(tail.lane(), number, of.batches().size(), of.rows());
      } else {
        LOG.warn(
            "lane {}: segment {} is quarantined and its footer can't be read: how much is not in the"
                + " table isn't known",
            tail.lane(),
            number);
        observer.lost(tail.lane(), number, 0, 0);
      }
    }
  }

  private Optional<SegmentFooter> footer(LaneTail tail, long number) {
    try {
      return reader.footer(tail.lane(), number);
    } catch (WingsException | StoreException e) {
      LOG.debug("footer of quarantined segment {} of lane {}", number, tail.lane(), e);
      return Optional.empty();
    }
  }
}
