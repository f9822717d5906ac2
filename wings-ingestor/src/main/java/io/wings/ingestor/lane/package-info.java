/**
 * Appending to lanes: group commit, put-if-absent at the next number, and conclusions that rest on
 * a won number (or the next one seen absent) and a boundary read after that.
 *
 * <p>Invariants: an answer never precedes its proof; while the outcome of a put is unknown only the
 * same bytes go to that number; a buffer is freed by durability alone, never by anyone reading
 * results; correctness never rests on one process per lane.
 */
@NullMarked
package io.wings.ingestor.lane;

import org.jspecify.annotations.NullMarked;
