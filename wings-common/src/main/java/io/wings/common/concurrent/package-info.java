/** Bounded building blocks for virtual threads. */
@NullMarked
package io.wings.common.concurrent;

import org.jspecify.annotations.NullMarked;
