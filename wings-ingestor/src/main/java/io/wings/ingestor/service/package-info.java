/**
 * Arrow Flight as an ingestor serves it to load balancers: calls and what they hold, without the
 * transport under them.
 *
 * <p>Invariant: only roles of the cluster are served, and nothing of a call is read before its
 * caller is known.
 */
@NullMarked
package io.wings.ingestor.service;

import org.jspecify.annotations.NullMarked;
