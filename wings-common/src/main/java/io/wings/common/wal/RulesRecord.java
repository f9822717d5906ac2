package io.wings.common.wal;

/** Changes the lane's rules, from this entry on. */
public record RulesRecord(LaneRules rules) implements WalEntry {}
