/**
 * The queue as a pure machine: (state, command, moment) to (state, reply), without I/O.
 *
 * <p>Invariants: a key names at most one task; a group has at most one lease; a scheduled task
 * stays until a worker acknowledges a lease that was granted after the scheduling, whatever its
 * kind and however often it fails; a leased task comes back by a settlement or by the lease's end;
 * nothing waits longer than the longest back-off; no catalog's tasks take more than half of the
 * room that the others' leave. The machine's clock counts only time in which the broker could
 * serve.
 */
@NullMarked
package io.wings.broker.core;

import org.jspecify.annotations.NullMarked;
