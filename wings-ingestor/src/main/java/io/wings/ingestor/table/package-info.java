/**
 * What the ingestor knows of tables: names to uuids, incarnations and schemas, from the tenants'
 * catalogs, with adoption on the way. The only package here that sees Iceberg.
 *
 * <p>Invariants: a table that is handed out is adopted, so its lanes may be appended to; what is
 * known is looked up again when a stream opens and every few seconds while one runs, which is the
 * limit within which a drop, a recreation or an altered schema is noticed; a catalog that doesn't
 * answer changes nothing about what is known.
 */
@NullMarked
package io.wings.ingestor.table;

import org.jspecify.annotations.NullMarked;
