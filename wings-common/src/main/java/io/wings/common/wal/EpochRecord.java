package io.wings.common.wal;

/**
 * Opens a new epoch of a named producer. The epoch is the number of the segment that holds the
 * record; batches of older epochs are fenced from here on. A segment holds at most one per
 * producer.
 */
public record EpochRecord(ProducerKey producer) implements WalEntry {}
