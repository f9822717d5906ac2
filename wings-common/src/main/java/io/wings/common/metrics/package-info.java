/** Metrics and health of a role over HTTP. */
@NullMarked
package io.wings.common.metrics;

import org.jspecify.annotations.NullMarked;
