/**
 * A table as a worker looks at it before it does anything to it: {@code table.json}, the boundary
 * of each lane, the table freshly loaded, in this order.
 *
 * <p>Invariants: boundary, watermark and head are read in this order, each only grows, and what
 * contradicts boundary &lt;= watermark &lt;= head is seen twice before it counts; a table is meant
 * by its uuid and found under whatever name it has by now; one that isn't found is unknown, not
 * gone.
 */
@NullMarked
package io.wings.worker.table;

import org.jspecify.annotations.NullMarked;
