package io.wings.common.objectstore.memory;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectKeys;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.time.Time;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Objects in a sorted map under one lock. Several processes of a simulation share one.
 *
 * <p>Versions are content hashes, as S3's are: equal content gives an equal version.
 */
public final class MemoryStore implements ObjectStore {
  private final String name;
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private final TreeMap<String, StoredObject> objects = new TreeMap<>();

  public MemoryStore(String name, Time time) {
    this.name = name;
    this.time = time;
  }

  /** A store called {@code test}, on the machine's clock. */
  public MemoryStore() {
    this("test", Time.system());
  }

  @Override
  public Optional<StoredObject> get(String key) {
    ObjectKeys.requireKey(key);
    return locked(() -> Optional.ofNullable(objects.get(key)))
        .map(stored -> new StoredObject(stored.head(), stored.bytes().clone()));
  }

  @Override
  public Optional<StoredObject> getRange(String key, long offset, int length) {
    ObjectKeys.requireKey(key);
    return locked(() -> Optional.ofNullable(objects.get(key)))
        .map(stored -> new StoredObject(stored.head(), range(stored.bytes(), offset, length)));
  }

  private static byte[] range(byte[] all, long offset, int length) {
    long from =
        offset < 0 ? Math.max(0L, all.length - (long) length) : Math.min(offset, all.length);
    return Arrays.copyOfRange(all, (int) from, (int) Math.min(all.length, from + length));
  }

  @Override
  public Optional<ObjectHead> head(String key) {
    ObjectKeys.requireKey(key);
    return locked(() -> Optional.ofNullable(objects.get(key))).map(StoredObject::head);
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    ObjectKeys.requireKey(key);
    byte[] bytes = body.toBytes();
    ObjectHead head = new ObjectHead(key, ContentHash.of(bytes), bytes.length, time.now());
    return locked(
        () -> {
          PutOutcome outcome = judge(objects.get(key), head, condition);
          if (outcome instanceof PutOutcome.Written) {
            objects.put(key, new StoredObject(head, bytes));
          }
          return outcome;
        });
  }

  private static PutOutcome judge(
      @Nullable StoredObject current, ObjectHead head, PutCondition condition) {
    PutOutcome written = new PutOutcome.Written(head.version());
    return switch (condition) {
      case PutCondition.Any() -> written;
      case PutCondition.IfAbsent() -> current == null ? written : new PutOutcome.Lost();
      case PutCondition.IfVersion(String version) -> {
        if (current == null) {
          yield new PutOutcome.Missing();
        }
        yield current.version().equals(version) ? written : new PutOutcome.Lost();
      }
    };
  }

  @Override
  public Iterator<ObjectHead> list(String prefix, String startAfter) {
    ObjectKeys.requirePrefix(prefix);
    ObjectKeys.requirePrefix(startAfter);
    return new Listing(prefix, startAfter);
  }

  /** Looks the next key up when it is asked for, so that changes behind it are seen. */
  private final class Listing implements Iterator<ObjectHead> {
    private final String prefix;
    private String last;
    private @Nullable ObjectHead next;

    private Listing(String prefix, String startAfter) {
      this.prefix = prefix;
      this.last = startAfter;
      advance();
    }

    private void advance() {
      Map.Entry<String, StoredObject> entry =
          locked(
              () ->
                  prefix.compareTo(last) > 0
                      ? objects.ceilingEntry(prefix)
                      : objects.higherEntry(last));
      next = entry != null && entry.getKey().startsWith(prefix) ? entry.getValue().head() : null;
    }

    @Override
    public boolean hasNext() {
      return next != null;
    }

    @Override
    public ObjectHead next() {
      ObjectHead current = next;
      if (current == null) {
        throw new NoSuchElementException();
      }
      last = current.key();
      advance();
      return current;
    }
  }

  @Override
  public void delete(String key) {
    ObjectKeys.requireKey(key);
    locked(() -> Optional.ofNullable(objects.remove(key)));
  }

  @Override
  public String address() {
    return "memory:" + name;
  }

  @Override
  public void close() {}

  private <T extends @Nullable Object> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }
}
