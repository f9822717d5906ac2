package io.wings.common.queue;

/** Where a task stands. */
public enum TaskState {
  /** It runs as soon as its time has come and its group is free. */
  WAITING,
  /** A worker has it. */
  LEASED,
  /** It failed too often; only a person moves it. */
  PARKED
}
