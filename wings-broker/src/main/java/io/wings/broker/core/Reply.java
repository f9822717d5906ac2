package io.wings.broker.core;

import io.wings.common.config.ByteSize;
import io.wings.common.queue.Lease;
import io.wings.common.queue.Task;
import java.util.List;
import java.util.Set;

/** What the queue answers, one kind per {@link Command}. */
public sealed interface Reply {
  /** To {@link Command.Schedule}. */
  record Scheduled() implements Reply {}

  /**
   * To {@link Command.Schedule}: nothing of it was taken.
   *
   * @param catalog whose share isn't enough; empty: of the tasks that are no catalog's
   * @param needed what its tasks would have taken
   * @param share what they may take, see {@link QueueRules#share}
   */
  record Full(String catalog, ByteSize needed, ByteSize share) implements Reply {}

  /** To {@link Command.Request}. */
  record Granted(List<Lease> leases) implements Reply {}

  /**
   * To {@link Command.Acknowledge}, {@link Command.Fail} and {@link Command.Release}.
   *
   * @param held false: the lease was no longer there, and nothing was done
   */
  record Settled(boolean held) implements Reply {}

  /** To {@link Command.Heartbeat}: the leases that still hold. */
  record Alive(Set<String> leaseIds) implements Reply {}

  /** To {@link Command.ListTasks}. */
  record Listed(List<Task> tasks) implements Reply {}

  /**
   * To {@link Command.Retry}.
   *
   * @param found false: no such task, or a worker has it
   */
  record Retried(boolean found) implements Reply {}
}
