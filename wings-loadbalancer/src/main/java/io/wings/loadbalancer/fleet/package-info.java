/**
 * Which ingestors there are, how they are, and which of them a lane goes to.
 *
 * <p>Invariants: where a stream goes spreads load; correctness never rests on it. A change of the
 * fleet moves only the lanes of the ingestors that came or went.
 */
@NullMarked
package io.wings.loadbalancer.fleet;

import org.jspecify.annotations.NullMarked;
