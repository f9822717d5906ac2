/**
 * The only source of randomness. Ids, put ids and jitter come from an {@link
 * io.wings.common.id.Ids} passed through constructors, so that one seed of a simulation is one run.
 */
@NullMarked
package io.wings.common.id;

import org.jspecify.annotations.NullMarked;
