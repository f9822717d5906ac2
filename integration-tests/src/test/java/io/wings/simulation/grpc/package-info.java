/**
 * gRPC between simulated processes, below what production uses of it: channels, calls, flow
 * control, deadlines, connections that break.
 *
 * <p>Invariants: what a listener is told of one call comes in order, one at a time, on threads of
 * its own process; messages cross the simulated network as bytes; a lost one breaks its connection
 * with all calls on it, and each side hears of that in its own time, or only thinks that the other
 * is slow.
 */
@NullMarked
package io.wings.simulation.grpc;

import org.jspecify.annotations.NullMarked;
