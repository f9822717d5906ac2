package io.wings.common.queue;

import io.wings.common.error.WingsException;
import java.time.Duration;

/** Tasks and leases to protobuf and back; encoder and decoder live together. */
public final class QueueMessages {
  private QueueMessages() {}

  public static io.wings.common.queue.proto.TaskSpec encode(TaskSpec spec) {
    io.wings.common.queue.proto.TaskSpec.Builder message =
        io.wings.common.queue.proto.TaskSpec.newBuilder()
            .setKind(spec.kind())
            .setKey(spec.key())
            .putAllPayload(spec.payload())
            .setDelayMs(spec.delay().toMillis());
    if (spec.group() != null) {
      message.setGroup(spec.group());
    }
    return message.build();
  }

  /**
   * Reads a spec that a client sent.
   *
   * @throws WingsException {@code invalid-task}
   */
  public static TaskSpec decode(io.wings.common.queue.proto.TaskSpec message) {
    return new TaskSpec(
        message.getKind(),
        message.getKey(),
        message.hasGroup() ? message.getGroup() : null,
        message.getPayloadMap(),
        Duration.ofMillis(message.getDelayMs()));
  }

  public static io.wings.common.queue.proto.Task encode(Task task) {
    io.wings.common.queue.proto.Task.Builder message =
        io.wings.common.queue.proto.Task.newBuilder()
            .setKind(task.kind())
            .setKey(task.key())
            .putAllPayload(task.payload())
            .setState(state(task.state()))
            .setRunsInMs(task.runsIn().toMillis())
            .setRunAgain(task.runAgain())
            .setFailures(task.failures())
            .setExpiries(task.expiries())
            .setScheduledAt(task.scheduledAt());
    if (task.group() != null) {
      message.setGroup(task.group());
    }
    if (task.lastError() != null) {
      message.setLastError(task.lastError());
    }
    if (task.worker() != null) {
      message.setWorker(task.worker());
    }
    return message.build();
  }

  static Task decode(io.wings.common.queue.proto.Task message) {
    return new Task(
        message.getKind(),
        message.getKey(),
        message.hasGroup() ? message.getGroup() : null,
        Payloads.sorted(message.getPayloadMap()),
        state(message.getState()),
        Duration.ofMillis(message.getRunsInMs()),
        message.getRunAgain(),
        message.getFailures(),
        message.getExpiries(),
        message.hasLastError() ? message.getLastError() : null,
        message.hasWorker() ? message.getWorker() : null,
        message.getScheduledAt());
  }

  public static io.wings.common.queue.proto.Lease encode(Lease lease) {
    return io.wings.common.queue.proto.Lease.newBuilder()
        .setId(lease.id())
        .setTask(encode(lease.task()))
        .setDurationMs(lease.duration().toMillis())
        .build();
  }

  static Lease decode(io.wings.common.queue.proto.Lease message) {
    return new Lease(
        message.getId(), decode(message.getTask()), Duration.ofMillis(message.getDurationMs()));
  }

  private static io.wings.common.queue.proto.TaskState state(TaskState state) {
    return switch (state) {
      case WAITING -> io.wings.common.queue.proto.TaskState.TASK_STATE_WAITING;
      case LEASED -> io.wings.common.queue.proto.TaskState.TASK_STATE_LEASED;
      case PARKED -> io.wings.common.queue.proto.TaskState.TASK_STATE_PARKED;
    };
  }

  private static TaskState state(io.wings.common.queue.proto.TaskState state) {
    return switch (state) {
      case TASK_STATE_WAITING -> TaskState.WAITING;
      case TASK_STATE_LEASED -> TaskState.LEASED;
      case TASK_STATE_PARKED -> TaskState.PARKED;
      case TASK_STATE_UNSPECIFIED, UNRECOGNIZED ->
          throw WingsException.corrupt(
              "broker-reply-invalid",
              "expected a task state that this version knows, got " + state);
    };
  }
}
