package io.wings.common.queue;

import java.util.List;

/**
 * The content of {@code queue.json}, beside its fence (epoch and put ids).
 *
 * @param address where the broker of this epoch can be dialled, {@code host:port}; empty once it
 *     has stepped down: whoever sees that may take over at once
 * @param writtenAt wall-clock time (ISO-8601), for people
 * @param tasks by key
 */
public record QueueFile(String address, String writtenAt, List<StoredTask> tasks) {
  public QueueFile {
    tasks = List.copyOf(tasks);
  }

  /** Whether the broker of this epoch has said that it does no more. */
  public boolean steppedDown() {
    return address.isEmpty();
  }

  /** Who the broker is, as far as a client must know. */
  public record Broker(String address, long epoch) {}
}
