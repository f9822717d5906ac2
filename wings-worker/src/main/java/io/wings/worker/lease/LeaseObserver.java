package io.wings.worker.lease;

import io.wings.common.queue.Task;
import java.time.Duration;

/** Hears of leases, for metrics and readiness. */
public interface LeaseObserver {
  /** The broker answered a request. */
  void reached();

  /**
   * The broker doesn't answer.
   *
   * @param reason for people
   */
  void unreachable(String reason);

  /** A task runs. */
  void began(Task task);

  /** It succeeded. */
  void succeeded(Task task, Duration took);

  /**
   * It failed.
   *
   * @param code stable, of the error
   */
  void failed(Task task, String code, Duration took);

  /** Its lease was lost, or the worker stopped. */
  void abandoned(Task task, Duration took);
}
