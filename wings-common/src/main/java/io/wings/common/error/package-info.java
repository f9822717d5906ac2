/**
 * Errors that cross a boundary between roles or reach a user: few kinds, each of which tells the
 * caller what to do, and a stable code that scripts may match on.
 */
@NullMarked
package io.wings.common.error;

import org.jspecify.annotations.NullMarked;
