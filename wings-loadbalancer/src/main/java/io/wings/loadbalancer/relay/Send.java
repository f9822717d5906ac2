package io.wings.loadbalancer.relay;

import io.wings.common.flight.StreamRequest;
import org.jspecify.annotations.Nullable;

/**
 * The next message for the ingestor.
 *
 * @param request takes the place of the payload's descriptor; null for all but the first message
 * @param again whether an ingestor that died had it already
 */
public record Send<F>(F payload, @Nullable StreamRequest request, boolean again) {}
