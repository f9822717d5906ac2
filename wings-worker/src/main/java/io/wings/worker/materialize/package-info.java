/**
 * Materialising: one pass reads the segments of a table's lanes after their watermarks, writes
 * their rows as data files and commits files and watermarks together.
 *
 * <p>Invariants: the segments of a pass are contiguous, the first follows the watermark, and each
 * byte of them that is used was checked against its CRC; a contradiction (a hole, a watermark out
 * of bounds) is seen twice before it stops a table, and then stops that table alone; what can't be
 * known is found out by reading the table anew, so a pass never needs to know how the one before it
 * ended; memory is bounded whatever the backlog.
 */
@NullMarked
package io.wings.worker.materialize;

import org.jspecify.annotations.NullMarked;
