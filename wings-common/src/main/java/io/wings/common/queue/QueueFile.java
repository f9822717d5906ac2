package io.wings.common.queue;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The content of {@code queue.json}: who is the broker, and the tasks by key.
 *
 * @param writtenAt wall-clock time (ISO-8601), for people
 */
public record QueueFile(Broker broker, String writtenAt, List<StoredTask> tasks) {
  /** Epochs whose last put id is kept, the current one included. */
  public static final int EPOCHS_KEPT = 16;

  public QueueFile {
    tasks = List.copyOf(tasks);
  }

  /**
   * The broker that wrote it.
   *
   * @param address where it can be dialled, {@code host:port}
   * @param epoch a higher one fences a lower one; the first is 1
   * @param putId of this write; tells it from every other
   * @param earlierPutIds the last put id of each epoch before this one, for up to 15 epochs: what
   *     the successor found
   */
  public record Broker(
      String address, long epoch, String putId, SortedMap<Long, String> earlierPutIds) {
    public Broker {
      earlierPutIds = Collections.unmodifiableSortedMap(new TreeMap<>(earlierPutIds));
    }

    /** The same broker's next write. */
    public Broker next(String putId) {
      return new Broker(address, epoch, putId, earlierPutIds);
    }

    /** The broker that takes over from this one. */
    public Broker successor(String address, String putId) {
      TreeMap<Long, String> earlier = new TreeMap<>(earlierPutIds);
      earlier.put(epoch, this.putId);
      while (earlier.size() > EPOCHS_KEPT - 1) {
        earlier.pollFirstEntry();
      }
      return new Broker(address, epoch + 1, putId, earlier);
    }

    /** The id of the last put of {@code epoch} that landed, if it is still known. */
    public Optional<String> lastPutId(long epoch) {
      return epoch == this.epoch
          ? Optional.of(putId)
          : Optional.ofNullable(earlierPutIds.get(epoch));
    }

    /** The first broker of a cluster, or of one whose queue was removed. */
    public static Broker first(String address, long epoch, String putId) {
      return new Broker(address, epoch, putId, new TreeMap<>(Map.of()));
    }
  }
}
