/**
 * Tasks, leases, the protocol between the broker and its clients, and the format of {@code
 * queue.json} ({@code docs/formats/queue.md}).
 *
 * <p>Invariants: a key names at most one task; a group has at most one lease; a reply means that
 * what it says is durable; every call is safe to repeat.
 */
@NullMarked
package io.wings.common.queue;

import org.jspecify.annotations.NullMarked;
