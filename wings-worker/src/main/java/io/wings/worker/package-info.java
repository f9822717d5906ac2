/**
 * The worker role: it leases tasks from the broker and does them. Reading {@link
 * io.wings.worker.WorkerServer} top to bottom shows the role.
 *
 * <p>Invariants: a worker keeps nothing that another couldn't do over; what a task did is decided
 * by the table's commit alone, never by a lease.
 */
@NullMarked
package io.wings.worker;

import org.jspecify.annotations.NullMarked;
