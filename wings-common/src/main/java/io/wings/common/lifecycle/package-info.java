/**
 * Starting in order and stopping in reverse order.
 *
 * <p>Invariants: a part is stopped at most once, after everything that was started later; one that
 * fails to stop doesn't keep the others from stopping; nothing starts after a stop.
 */
@NullMarked
package io.wings.common.lifecycle;

import org.jspecify.annotations.NullMarked;
