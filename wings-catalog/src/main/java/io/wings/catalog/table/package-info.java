/**
 * What makes an Iceberg table a Wings table: its settings and watermarks (table properties), its
 * adoption, the cluster's own note of it ({@code table.json}), and the mapping between Arrow and
 * Iceberg schemas.
 *
 * <p>Invariants: a watermark carries cluster, table uuid and incarnation, and one that is missing
 * or of another identity is never read as zero; a property under {@code wings.} that this version
 * doesn't know is an error; a table is adopted by one commit that adds a snapshot, then its
 * boundaries, and {@code table.json} last.
 */
@NullMarked
package io.wings.catalog.table;

import org.jspecify.annotations.NullMarked;
