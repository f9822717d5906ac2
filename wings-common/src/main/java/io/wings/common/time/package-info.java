/**
 * The only source of time. Everything that reads a clock or sleeps takes a {@link
 * io.wings.common.time.Time} through its constructor, so that a simulation can supply its own.
 */
@NullMarked
package io.wings.common.time;

import org.jspecify.annotations.NullMarked;
