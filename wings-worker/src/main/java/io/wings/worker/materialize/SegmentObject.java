package io.wings.worker.materialize;

import java.time.Instant;

/**
 * A segment as a listing shows it.
 *
 * @param size in bytes
 * @param modified the store's own clock
 */
record SegmentObject(long number, long size, Instant modified) {}
