package io.wings.worker.lease;

import io.wings.common.queue.Task;

/** Does tasks of one kind. */
@FunctionalInterface
public interface TaskHandler {
  /**
   * Does the task; returning means that it succeeded. Called from one thread per task, several at a
   * time.
   *
   * @throws io.wings.common.error.WingsException it failed; the message goes to the queue, for
   *     people
   * @throws InterruptedException it was told to stop
   */
  void run(Task task) throws InterruptedException;
}
