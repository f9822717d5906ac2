/**
 * The kernel of the simulation: one seeded scheduler that runs the virtual threads of any number of
 * simulated processes on one platform thread, with virtual time, an object store and a network
 * between them.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>One seed is one run: every choice is drawn from one generator, in an order that the choices
 *       before it fix. The hash of the {@link io.wings.simulation.kernel.Trace} says so.
 *   <li>At any moment one simulated thread runs, and between two of its blocking calls no other
 *       does; so the kernel's own state needs no lock.
 *   <li>Nothing outside the simulation wakes a simulated thread. One that is woken so is counted,
 *       and the run fails.
 *   <li>Time passes only when no thread can run.
 *   <li>A process that died never runs again, not even its {@code finally}; what it had sent may
 *       still arrive.
 * </ul>
 *
 * <p>Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED} (virtual threads on an own executor
 * have no public constructor) and {@code -Djdk.trackAllThreads=false} (or killed threads are kept
 * for ever).
 */
@NullMarked
package io.wings.simulation.kernel;

import org.jspecify.annotations.NullMarked;
