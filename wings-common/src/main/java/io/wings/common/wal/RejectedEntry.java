package io.wings.common.wal;

/**
 * A sequence that was consumed by a refusal: its data is nowhere, and it is never answered as a
 * duplicate.
 *
 * @param reason for people, at most {@link #MAX_REASON_CHARS} characters
 */
public record RejectedEntry(ProducerKey producer, long epoch, long sequence, String reason)
    implements WalEntry {
  public static final int MAX_REASON_CHARS = 500;
}
