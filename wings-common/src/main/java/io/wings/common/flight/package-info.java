/**
 * What load balancer and ingestor share of Arrow Flight: frames, the canonical stream request,
 * results, error codes.
 */
@NullMarked
package io.wings.common.flight;

import org.jspecify.annotations.NullMarked;
