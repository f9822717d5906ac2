package io.wings.common.queue;

import java.time.Duration;

/**
 * A worker's claim on a task.
 *
 * @param id its own; survives a change of the broker
 * @param duration after which the broker gives the task to someone else unless it hears a
 *     heartbeat; counted by the broker's clock from its grant
 */
public record Lease(String id, Task task, Duration duration) {}
