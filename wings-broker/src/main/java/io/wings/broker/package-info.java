/**
 * The broker role: one active process per cluster that keeps the queue of tasks in one object under
 * CAS and leases them to workers. See design section 7 and {@code docs/formats/queue.md}.
 */
@NullMarked
package io.wings.broker;

import org.jspecify.annotations.NullMarked;
