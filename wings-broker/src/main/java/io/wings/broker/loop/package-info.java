/**
 * The broker between its clients and {@code queue.json}: standing by, taking over, and, while it is
 * the active one, applying commands and writing them in groups.
 *
 * <p>Invariants: one thread owns the machine and the object; one write is in flight, and all
 * commands that come meanwhile go with the next; no reply leaves before a write that holds what it
 * says has landed, or, where it changes nothing, before a read begun after the command came has
 * shown the object as this broker wrote it last. Who is deposed has forgotten everything before it
 * stands by again. Safety rests on the object alone, never on a clock.
 */
@NullMarked
package io.wings.broker.loop;

import org.jspecify.annotations.NullMarked;
