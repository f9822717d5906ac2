package io.wings.common.queue;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task as the broker has it.
 *
 * @param runsIn how long until it may run, while it waits; zero once it may
 * @param runAgain it was scheduled while it was leased or parked
 * @param failures in a row
 * @param expiries leases in a row that ran out
 * @param lastError of the last failure since the last success
 * @param worker who has it, while it is leased
 * @param scheduledAt wall-clock time (ISO-8601) at which the broker first heard of it; for people
 */
public record Task(
    String kind,
    String key,
    @Nullable String group,
    Map<String, String> payload,
    TaskState state,
    Duration runsIn,
    boolean runAgain,
    int failures,
    int expiries,
    @Nullable String lastError,
    @Nullable String worker,
    String scheduledAt) {}
