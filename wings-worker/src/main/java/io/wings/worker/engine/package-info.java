/**
 * The data engine: Arrow batches in, Parquet data files of an Iceberg table out.
 *
 * <p>Sorting, grouping and Parquet work is SQL on an embedded DuckDB instance over Arrow and local
 * files; a table with a type, a name or a property that DuckDB can't hold exactly is encoded by
 * Iceberg's own Parquet writer instead.
 *
 * <p>Invariants: columns are matched by field id, at every level, never by name; partition values
 * and transformed sort keys are computed by Iceberg's own transforms; every row that went in is in
 * exactly one of the files that come out, and a bound that a file carries covers every row of it;
 * memory and local disk are bounded whatever the number of rows and partitions; every local path
 * begins with the catalog's name and is gone when the call returns; nothing here deletes or
 * overwrites a file of a table.
 */
@NullMarked
package io.wings.worker.engine;

import org.jspecify.annotations.NullMarked;
