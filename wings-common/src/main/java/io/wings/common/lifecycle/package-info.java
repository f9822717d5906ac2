/** Starting in order and stopping in reverse order. */
@NullMarked
package io.wings.common.lifecycle;

import org.jspecify.annotations.NullMarked;
