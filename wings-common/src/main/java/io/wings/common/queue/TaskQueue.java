package io.wings.common.queue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The broker, as workers and operators see it. Every method blocks, and throws {@link
 * io.wings.common.error.WingsException} {@code broker-unavailable} when no broker answered in time:
 * the call may then have had its effect or not.
 */
public interface TaskQueue extends TaskScheduler {
  /**
   * Leases up to {@code max} tasks whose time has come.
   *
   * @param worker a name of this process, for people
   * @param kinds what it can do; tasks of other kinds stay for others
   * @param wait how long the broker may hold the call while there is nothing; it cuts this to its
   *     own limit
   * @return empty when there is nothing to do
   */
  List<Lease> request(String worker, Set<String> kinds, int max, Duration wait);

  /**
   * The task succeeded. It is gone, or waits once more if it was scheduled meanwhile.
   *
   * @return false when the lease no longer holds: someone else may be doing the task
   */
  boolean acknowledge(String leaseId);

  /**
   * The task failed; it waits for its back-off, or is parked.
   *
   * @param error for people, without data or credentials; cut to 1,000 characters
   * @param retryAfter waits at least this long, cut to the longest back-off; null: the back-off
   *     alone decides
   * @return false when the lease no longer holds
   */
  boolean fail(String leaseId, String error, @Nullable Duration retryAfter);

  /**
   * Extends leases to a whole duration from now.
   *
   * @return those that still hold; the caller stops work on the others
   */
  Set<String> heartbeat(List<String> leaseIds);

  /**
   * Hands leases back: neither done nor failed, for others to have at once. Those that no longer
   * hold are passed over.
   */
  void release(List<String> leaseIds);

  /** All tasks, by key. */
  List<Task> list();

  /**
   * By a person: forgets a task's failures and lets it run now, parked or backing off.
   *
   * @return false when there is no such task, or it is leased
   */
  boolean retry(String key);
}
