package io.wings.common.wal;

import org.jspecify.annotations.Nullable;

/**
 * A batch in a segment.
 *
 * @param sequence of the producer, from 1
 * @param token opaque to Wings, given back by {@code producer-state}; at most {@link
 *     LaneRules#maxTokenBytes()} bytes of UTF-8
 * @param rows at least 0
 * @param rawBytes of the decoded record batch's body
 * @param schema index into {@link SegmentFooter#schemas()}
 * @param block where the encapsulated IPC message is
 */
public record BatchEntry(
    ProducerKey producer,
    long epoch,
    long sequence,
    @Nullable String token,
    Operation operation,
    long rows,
    long rawBytes,
    int schema,
    Block block)
    implements WalEntry {}
