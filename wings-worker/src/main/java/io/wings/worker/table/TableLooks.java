package io.wings.worker.table;

import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.Adoption;
import io.wings.catalog.table.TableFile;
import io.wings.catalog.table.TableFiles;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Concurrently;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.Boundary;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Looks at tables. Safe for several threads. */
public final class TableLooks {
  /** Looks at a store that fails. */
  private static final int MAX_LOOKS = 8;

  private final TableFiles files;
  private final Boundaries boundaries;
  private final Adoption adoption;
  private final Retry retry;
  private final Concurrently lanes;

  /**
   * @param cluster the cluster's id
   * @param store the cluster's
   */
  public TableLooks(
      String cluster, ObjectStore store, Time time, Ids ids, Backoff backoff, Threads threads) {
    this.files = new TableFiles(store, time, ids);
    this.boundaries = new Boundaries(store, time, ids, backoff);
    this.adoption = new Adoption(cluster, store, time, ids, threads);
    this.retry = new Retry(time, ids, backoff);
    this.lanes = new Concurrently(threads, "look-lanes", LaneId.AT_ONCE);
  }

  /**
   * Looks at a table, and concludes from what it shows; what {@code conclude} finds CORRUPT is
   * looked at a second time.
   *
   * @param catalog the table's
   * @throws WingsException {@code table-not-adopted}; what {@link Adoption#follow} throws; {@code
   *     boundary-missing}; what {@code conclude} throws
   */
  public <T> T look(TableId table, TenantCatalog catalog, Function<TableView, T> conclude) {
    AtomicBoolean looked = new AtomicBoolean();
    return retry.run(
        "look at table " + table, MAX_LOOKS, _ -> attempt(table, catalog, conclude, looked));
  }

  private <T> Attempt<T> attempt(
      TableId table, TenantCatalog catalog, Function<TableView, T> conclude, AtomicBoolean looked) {
    try {
      return Attempt.done(conclude.apply(view(table, catalog)));
    } catch (WingsException e) {
      if (e.kind() == ErrorKind.CORRUPT && looked.compareAndSet(false, true)) {
        return Attempt.again(String.valueOf(e.getMessage()), e);
      }
      throw e;
    } catch (StoreException e) {
      if (!e.retryable()) {
        throw WingsException.unavailable("store-refused", "table " + table + ": " + e, e);
      }
      return Attempt.again("store: " + e.getMessage(), e);
    }
  }

  private TableView view(TableId id, TenantCatalog catalog) {
    TableFile file =
        files
            .read(id)
            .orElseThrow(
                () ->
                    WingsException.notFound(
                        "table-not-adopted", "table " + id + " has no table.json"));
    List<Boundary> below =
        lanes.map(
            IntStream.range(0, file.lanes()).boxed().toList(),
            lane -> boundaries.require(new LaneId(id, file.incarnation(), lane)));
    AdoptedTable table =
        adoption.follow(id, catalog.catalog(), catalog.namespaces(), file.identifier());
    if (!file.isOf(table.watermarks())) {
      throw WingsException.corrupt(
          "watermark-invalid", "table " + id + " changed its incarnation while it was looked at");
    }
    return new TableView(file, below, table);
  }
}
