/** Tasks, leases and the protocol between the broker and its clients. */
@NullMarked
package io.wings.common.queue;

import org.jspecify.annotations.NullMarked;
