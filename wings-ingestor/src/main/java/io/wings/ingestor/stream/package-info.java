/**
 * From the frames of a stream to batches that are ready for the log: parsed, checked to the last
 * bit, made plain, aligned to the table's columns.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>Nothing from outside is trusted: every count, offset and length is compared with a limit of
 *       {@link io.wings.ingestor.stream.StreamLimits} and with the bytes that are really there
 *       before anything is allocated or read by it. Whatever arrives, the outcome is a batch or a
 *       {@link io.wings.common.error.WingsException}; never another exception, never a crash.
 *   <li>Data reaches an Arrow vector only after all of it was checked. Until then it is a {@code
 *       Column}, whose every access is bounds-checked.
 *   <li>All memory of a batch belongs to one {@code Arena}, which counts it against a limit and
 *       frees it whole.
 *   <li>A {@code Column} is plain: no dictionaries, views, run ends or large offsets. What readers
 *       of the log meet is therefore a handful of layouts.
 * </ul>
 */
@NullMarked
package io.wings.ingestor.stream;

import org.jspecify.annotations.NullMarked;
