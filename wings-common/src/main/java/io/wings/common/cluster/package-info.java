/**
 * Names of things in a cluster and the one place that turns them into keys.
 *
 * <p>Invariant: a name that comes from outside is validated by the type that carries it, so no
 * unescaped name ever enters a key.
 */
@NullMarked
package io.wings.common.cluster;

import org.jspecify.annotations.NullMarked;
