/**
 * The ingestor role: its settings, its gRPC edge, and how its parts are wired.
 *
 * <p>Invariant: only roles of the cluster are served, and nothing of a call is read before its
 * caller is known.
 */
@NullMarked
package io.wings.ingestor;

import org.jspecify.annotations.NullMarked;
