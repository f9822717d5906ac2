/** Waiting between attempts: the only retry loop. */
@NullMarked
package io.wings.common.retry;

import org.jspecify.annotations.NullMarked;
