/** Settings of a process: one record per concern, unknown keys are errors. */
@NullMarked
package io.wings.common.config;

import org.jspecify.annotations.NullMarked;
