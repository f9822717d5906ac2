/**
 * The one way in which Wings commits to an Iceberg table.
 *
 * <p>Invariants: every commit adds a snapshot (empty if need be) whose summary carries the
 * attempt's id, so that of two posts on one base whichever lands first fails the other; an attempt
 * posts at most once, on a base that it pinned and checked; after the post anything but success is
 * <em>unknown</em> until a fresh load shows the attempt's id or another's commit in its place;
 * nothing here deletes a file.
 */
@NullMarked
package io.wings.catalog.commit;

import org.jspecify.annotations.NullMarked;
