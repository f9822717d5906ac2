/**
 * The deterministic simulation of Wings: the production cores of all roles in one JVM, under one
 * seed, over a store, a network and clocks that misbehave; and the checkers that say whether what
 * was promised holds.
 *
 * <p>Invariants: production code is run as it is, wired by constructors; what is simulated is what
 * it is given. A violation is reported with the seed that shows it, and that seed shows it again.
 */
@NullMarked
package io.wings.simulation;

import org.jspecify.annotations.NullMarked;
