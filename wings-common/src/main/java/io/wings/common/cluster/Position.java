package io.wings.common.cluster;

/**
 * A place in a table's WAL.
 *
 * @param number of the segment; the first is 1, 0 is before the first
 */
public record Position(String incarnation, int lane, long number) {}
