/**
 * The write-ahead log: segment format, its reader and writer, and lane state as a pure function of
 * the log.
 */
@NullMarked
package io.wings.common.wal;

import org.jspecify.annotations.NullMarked;
