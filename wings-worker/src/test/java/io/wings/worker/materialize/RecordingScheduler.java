package io.wings.worker.materialize;

import io.wings.common.queue.Task;
import io.wings.common.queue.TaskScheduler;
import io.wings.common.queue.TaskSpec;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Remembers what was scheduled. */
final class RecordingScheduler implements TaskScheduler {
  private final List<String> keys = new ArrayList<>();

  @Override
  public void schedule(List<TaskSpec> tasks) {
    tasks.forEach(task -> keys.add(task.key()));
  }

  List<String> keys() {
    return keys;
  }

  /** What a worker gets. */
  Task leased(TaskSpec spec) {
    return new Task(
        spec.kind(),
        spec.key(),
        spec.group(),
        spec.payload(),
        TaskState.LEASED,
        Duration.ZERO,
        false,
        0,
        0,
        null,
        "w",
        "");
  }
}
