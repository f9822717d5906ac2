package io.wings.common.queue;

import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Talks to the active broker, which it finds by reading {@code queue.json}; it looks again on any
 * doubt. Safe for use by several threads.
 */
public final class QueueClient implements TaskQueue, AutoCloseable {
  private final ObjectStore store;
  private final QueueClientSettings settings;
  private final Time time;
  private final Ids ids;

  /**
   * A client that hasn't looked for the broker yet.
   *
   * @param store the cluster's; not closed by this
   */
  public QueueClient(ObjectStore store, QueueClientSettings settings, Time time, Ids ids) {
    this.store = store;
    this.settings = settings;
    this.time = time;
    this.ids = ids;
  }

  @Override
  public void schedule(List<TaskSpec> tasks) {
    throw unavailable();
  }

  @Override
  public List<Lease> request(String worker, Set<String> kinds, int max, Duration wait) {
    throw unavailable();
  }

  @Override
  public boolean acknowledge(String leaseId) {
    throw unavailable();
  }

  @Override
  public boolean fail(String leaseId, String error, @Nullable Duration retryAfter) {
    throw unavailable();
  }

  @Override
  public Set<String> heartbeat(List<String> leaseIds) {
    throw unavailable();
  }

  @Override
  public List<Task> list() {
    throw unavailable();
  }

  @Override
  public boolean retry(String key) {
    throw unavailable();
  }

  private WingsException unavailable() {
    return WingsException.unavailable(
        "broker-unavailable",
        "no broker in " + store.address() + " within " + settings.patience() + time.now() + ids,
        null);
  }

  @Override
  public void close() {}
}
