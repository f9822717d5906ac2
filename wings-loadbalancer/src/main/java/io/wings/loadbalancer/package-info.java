/**
 * The load balancer: the one role that clients talk to. {@link
 * io.wings.loadbalancer.LoadBalancerServer} wires it.
 *
 * <p>Invariant: it holds nothing that matters after its death.
 */
@NullMarked
package io.wings.loadbalancer;

import org.jspecify.annotations.NullMarked;
