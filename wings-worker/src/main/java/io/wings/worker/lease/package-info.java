/**
 * Leases: asking for tasks, keeping the broker informed while they run, and telling how they ended.
 *
 * <p>Invariants: at most so many tasks run at once as there are slots; a task whose lease is gone
 * is told to stop and its end is not reported; nothing here is needed for a task's work to be
 * correct.
 */
@NullMarked
package io.wings.worker.lease;

import org.jspecify.annotations.NullMarked;
