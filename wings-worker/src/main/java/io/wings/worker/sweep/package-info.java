/**
 * The sweep: it finds work that no task names, whatever was lost on the way to the queue. One flat
 * listing of the cluster's tables against each table's {@code table.json}; it opens no catalog.
 *
 * <p>Invariants: it only schedules, so that running it twice, or on old knowledge, costs a look at
 * a table and no more; its memory doesn't grow with the number of tables or segments.
 */
@NullMarked
package io.wings.worker.sweep;

import org.jspecify.annotations.NullMarked;
