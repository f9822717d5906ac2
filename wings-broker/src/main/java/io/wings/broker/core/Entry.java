package io.wings.broker.core;

import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.StoredTask;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A task in memory. Immutable; instants are nanoseconds of the served clock. */
record Entry(
    String kind,
    String key,
    @Nullable String group,
    Map<String, String> payload,
    Standing standing,
    int failures,
    int expiries,
    @Nullable String error,
    String scheduledAt) {

  /** Where it stands; see {@link StoredTask.Standing}. */
  sealed interface Standing {}

  /** It may run from {@code runAt} on. */
  record Waiting(long runAt) implements Standing {}

  /**
   * A worker has it until {@code deadline}.
   *
   * @param runAgainAt null: it wasn't scheduled meanwhile
   */
  record Leased(
      String id, String worker, long deadline, boolean takenOver, @Nullable Long runAgainAt)
      implements Standing {}

  /** It waits for a person. */
  record Parked(boolean marked) implements Standing {}

  /** Room in the file for what may be added to a task without asking: a lease, counts. In bytes. */
  private static final int RESERVE_BYTES = 256;

  /** The same for an error that is cut short. */
  private static final int SHORT_ERROR_BYTES = 256;

  Entry with(Standing standing) {
    return new Entry(kind, key, group, payload, standing, failures, expiries, error, scheduledAt);
  }

  Entry withPayload(Map<String, String> payload) {
    return new Entry(kind, key, group, payload, standing, failures, expiries, error, scheduledAt);
  }

  Entry withCounts(int failures, int expiries, @Nullable String error) {
    return new Entry(kind, key, group, payload, standing, failures, expiries, error, scheduledAt);
  }

  Entry since(String scheduledAt) {
    return new Entry(kind, key, group, payload, standing, failures, expiries, error, scheduledAt);
  }

  /**
   * Whose tables the task is about: of a key {@code {kind}/{catalog}/…} the catalog, of any other
   * nobody's, the empty text.
   */
  String catalog() {
    return catalog(key);
  }

  static String catalog(String key) {
    int kind = key.indexOf('/');
    int catalog = kind < 0 ? -1 : key.indexOf('/', kind + 1);
    return catalog < 0 ? "" : key.substring(kind + 1, catalog);
  }

  /** An upper bound of what it takes in the file, in bytes; at least as with a short error. */
  long size() {
    long bare = encodedSize(null);
    long failed = error == null ? bare : encodedSize(error);
    return Math.max(bare + SHORT_ERROR_BYTES, failed) + RESERVE_BYTES;
  }

  /** Whether its error fits into what every task has room for. */
  boolean hasShortError() {
    return error == null || encodedSize(error) <= encodedSize(null) + SHORT_ERROR_BYTES;
  }

  private long encodedSize(@Nullable String error) {
    return QueueCodec.encodedSize(
        new StoredTask(
            kind, key, group, payload, new StoredTask.Parked(false), 0, 0, error, scheduledAt));
  }

  StoredTask stored(Moment now) {
    StoredTask.Standing stored =
        switch (standing) {
          case Waiting(long runAt) -> new StoredTask.Waiting(now.until(runAt));
          case Leased lease ->
              new StoredTask.Leased(
                  lease.id(),
                  lease.worker(),
                  lease.takenOver(),
                  lease.runAgainAt() == null ? null : now.until(lease.runAgainAt()));
          case Parked(boolean marked) -> new StoredTask.Parked(marked);
        };
    return new StoredTask(
        kind, key, group, payload, stored, failures, expiries, error, scheduledAt);
  }

  Task task(Moment now) {
    return switch (standing) {
      case Waiting(long runAt) -> task(TaskState.WAITING, now.until(runAt), false, null);
      case Leased lease ->
          task(TaskState.LEASED, Duration.ZERO, lease.runAgainAt() != null, lease.worker());
      case Parked(boolean marked) -> task(TaskState.PARKED, Duration.ZERO, marked, null);
    };
  }

  private Task task(TaskState state, Duration runsIn, boolean runAgain, @Nullable String worker) {
    return new Task(
        kind,
        key,
        group,
        payload,
        state,
        runsIn,
        runAgain,
        failures,
        expiries,
        error,
        worker,
        scheduledAt);
  }
}
