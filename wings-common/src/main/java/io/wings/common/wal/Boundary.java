package io.wings.common.wal;

/**
 * Up to which number a lane's segments may have been deleted. Created by adoption, raised by prune,
 * closed by a move; it only grows, and a closed one stays.
 *
 * @param number segments at or below may be gone, 0 when none is
 * @param closed no segment may be appended any more
 * @param putId 32 hexadecimal digits, new with every write
 */
public record Boundary(long number, boolean closed, String putId) {}
