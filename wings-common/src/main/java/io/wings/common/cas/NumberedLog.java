package io.wings.common.cas;

import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A log of create-only objects, one key per number: whoever creates a key owns its number, for
 * ever.
 *
 * <p>Once a put is <em>unknown</em>, only the same bytes are put at that key until it is known
 * whose object is there: the put that was given up on may still land, and must then be the same
 * object.
 */
public final class NumberedLog {
  private final ObjectStore store;
  private final Retry retry;

  public NumberedLog(ObjectStore store, Time time, Ids ids, Backoff backoff) {
    this.store = store;
    this.retry = new Retry(time, ids, backoff);
  }

  /** Reads an object's put id. */
  @FunctionalInterface
  public interface PutIdReader {
    /** The put id of the object at {@code key}, or empty when there is no object. */
    Optional<String> read(String key);
  }

  /**
   * Creates {@code key} and returns once it is known who did, however long that takes.
   *
   * @param putId embedded in {@code body}; fresh for every body
   * @throws StoreException when the store definitely refused the first put: nothing was written,
   *     and nothing of this call will be
   * @throws io.wings.common.error.WingsException {@code interrupted}: it is not known, and only the
   *     same bytes may be put at {@code key} again
   */
  public Append append(String key, Body body, String putId, PutIdReader reader) {
    AtomicBoolean unknown = new AtomicBoolean();
    return retry.run(
        "append of " + key,
        Retry.UNTIL_KNOWN,
        number -> {
          if (!unknown.get()) {
            return put(key, body, putId, reader, unknown);
          }
          try {
            Optional<String> found = reader.read(key);
            return found.isPresent()
                ? Attempt.done(judge(found.get(), putId))
                : put(key, body, putId, reader, unknown);
          } catch (StoreException e) {
            // Says that this read or put failed; of the put before it, it says nothing.
            return Attempt.again(e.toString(), e);
          }
        });
  }

  private Attempt<Append> put(
      String key, Body body, String putId, PutIdReader reader, AtomicBoolean unknown) {
    return switch (store.put(key, body, PutCondition.ifAbsent())) {
      case PutOutcome.Written(_) -> Attempt.done(new Append.Won());
      case PutOutcome.Lost() -> {
        if (!unknown.get()) {
          yield Attempt.done(new Append.Taken());
        }
        Optional<String> found = reader.read(key);
        yield found.isPresent()
            ? Attempt.done(judge(found.get(), putId))
            : Attempt.again("lost to an object that is gone");
      }
      case PutOutcome.Missing() -> throw new IllegalStateException("if-absent answered Missing");
      case PutOutcome.Unknown(String reason) -> {
        unknown.set(true);
        yield Attempt.again("outcome unknown: " + reason);
      }
    };
  }

  private static Append judge(String found, String putId) {
    return found.equals(putId) ? new Append.Won() : new Append.Taken();
  }
}
