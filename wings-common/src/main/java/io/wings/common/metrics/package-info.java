/**
 * Metrics and health of a process over HTTP.
 *
 * <p>Invariants: the endpoint needs nothing but the process to answer (no store, no broker); it
 * never shows a tenant's data, settings or credentials.
 */
@NullMarked
package io.wings.common.metrics;

import org.jspecify.annotations.NullMarked;
