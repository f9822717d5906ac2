/**
 * What load balancer and ingestor share of Arrow Flight: the service's methods with data messages
 * as raw frames, the requests of clients and their canonical form, results, actions, errors.
 *
 * <p>Invariants: record batch bodies are never decoded here; a request is parsed strictly, once,
 * and travels on in canonical form; an error's stable code reaches the client unchanged.
 */
@NullMarked
package io.wings.common.flight;

import org.jspecify.annotations.NullMarked;
