package io.wings.catalog.table;

import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.time.Time;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;

/** Brings tables under Wings, and loads those that are. One per cluster and process. */
@SuppressWarnings({"UnusedVariable", "DoNotCallSuggester"})
public final class Adoption {
  private final String cluster;
  private final ObjectStore store;
  private final Time time;
  private final Ids ids;

  /**
   * @param cluster the cluster's id
   * @param store the cluster's own
   */
  public Adoption(String cluster, ObjectStore store, Time time, Ids ids) {
    this.cluster = cluster;
    this.store = store;
    this.time = time;
    this.ids = ids;
  }

  /**
   * Loads the table fresh and adopts it if no Wings cluster has: one commit with an empty snapshot,
   * the incarnation and watermark 0 for every lane; then the boundaries, if absent; {@code
   * table.json} last. Completes an adoption that stopped half-way, with its incarnation. Racing
   * callers agree. When it returns, segments may be appended.
   *
   * @throws WingsException {@code table-not-found}; {@code table-format-unsupported} (not Iceberg
   *     v3); {@code table-adopted-elsewhere} (another cluster's watermarks); {@code
   *     boundary-missing}; {@code watermark-invalid}, {@code watermark-missing}; those of {@link
   *     TableSettings#parse} and {@link ArrowSchemas#expected}; UNAVAILABLE kinds when catalog or
   *     store don't answer
   */
  public AdoptedTable adopt(CatalogName name, Catalog catalog, TableIdentifier table) {
    throw new UnsupportedOperationException();
  }

  /**
   * Loads an adopted table fresh, and never adopts.
   *
   * @throws WingsException as {@link #adopt}; {@code table-not-adopted} when it has neither
   *     watermarks nor {@code table.json}
   */
  public AdoptedTable load(CatalogName name, Catalog catalog, TableIdentifier table) {
    throw new UnsupportedOperationException();
  }
}
