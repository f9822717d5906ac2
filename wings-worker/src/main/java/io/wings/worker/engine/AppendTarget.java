package io.wings.worker.engine;

import io.wings.common.cluster.CatalogName;
import org.apache.iceberg.Table;

/**
 * Where rows go.
 *
 * @param catalog the tenant; begins every local path
 * @param table freshly loaded; its schema, default partition spec, default sort order, properties,
 *     location provider and FileIO are read, nothing of it is changed
 * @param filePrefix begins the name of every file written; fresh for each call (the pass's ledger
 *     id), so that no two calls ever write the same file, and random, since the call's hash tables
 *     are keyed by it: {@code [A-Za-z0-9_-]{1,128}}
 */
public record AppendTarget(CatalogName catalog, Table table, String filePrefix) {
  private static final int MAX_PREFIX_CHARS = 128;

  public AppendTarget {
    if (!filePrefix.matches("[A-Za-z0-9_-]{1," + MAX_PREFIX_CHARS + "}")) {
      throw new IllegalArgumentException("file prefix: " + filePrefix);
    }
  }
}
