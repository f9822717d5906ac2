/**
 * The Flight service as clients see it: calls are authenticated, their requests made canonical, and
 * passed on to an ingestor. The only package that speaks gRPC to clients.
 *
 * <p>Invariants: record batch bodies are never decoded; headers of clients are never passed on;
 * what is held for a stream is bounded whatever either end does; a stream ends OK only when its
 * ingestor said so after the client's last frame, or everything it sent was answered.
 */
@NullMarked
package io.wings.loadbalancer.proxy;

import org.jspecify.annotations.NullMarked;
