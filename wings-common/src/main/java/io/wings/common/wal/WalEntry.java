package io.wings.common.wal;

/**
 * One thing that a segment records. Entries of a footer are in the order in which they were
 * accepted; that order is part of the log.
 */
public sealed interface WalEntry permits BatchEntry, RejectedEntry, EpochRecord, RulesRecord {}
