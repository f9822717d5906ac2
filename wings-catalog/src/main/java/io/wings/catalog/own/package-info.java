/**
 * Wings' own Iceberg catalog: objects under a warehouse on object storage, changed by
 * compare-and-swap, and nothing else. {@code docs/formats/catalog.md} documents them.
 *
 * <p>Invariants: one object holds the names of a catalog (namespace and table name to table id),
 * and one pointer object per table holds where its metadata is, so that commits of different tables
 * never contend. A name exists exactly while the names object says so. A commit is one conditional
 * put of the pointer; when its outcome can't be known the pointer is read back, and what can't be
 * told from that is {@code CommitStateUnknownException}. Table ids are random, so a name from
 * outside never enters a key. Nothing here deletes a file or an object.
 */
@NullMarked
package io.wings.catalog.own;

import org.jspecify.annotations.NullMarked;
