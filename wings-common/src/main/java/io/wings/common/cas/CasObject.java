package io.wings.common.cas;

import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * One object that many may change: the CAS loop.
 *
 * <p>A change is a pure function from what is there to what shall be there; it is computed again
 * whenever someone else was faster, or the outcome of a put can't be known, and must therefore be
 * idempotent: applied to a value that already holds it, it changes nothing of account. An
 * <em>unknown</em> put is settled by the put id: one that shows is a success, also when it landed
 * late and made a later attempt of the same call lose.
 */
public final class CasObject<T> {
  /** Attempts of one call; with the usual back-off about a minute of losing or failing. */
  public static final int MAX_ATTEMPTS = 40;

  private final ObjectStore store;
  private final String key;
  private final Codec<T> codec;
  private final Ids ids;
  private final Retry retry;

  public CasObject(
      ObjectStore store, String key, Codec<T> codec, Time time, Ids ids, Backoff backoff) {
    this.store = store;
    this.key = key;
    this.codec = codec;
    this.ids = ids;
    this.retry = new Retry(time, ids, backoff);
  }

  /**
   * What is there now, or empty when there is no object.
   *
   * @throws StoreException when the read fails; not retried
   */
  public Optional<T> read() {
    return store.get(key).map(stored -> codec.decode(stored.bytes()).value());
  }

  /**
   * Changes the object.
   *
   * @param mutator pure and idempotent; takes what is there, gives what shall be there, or empty to
   *     leave it as it is
   * @return what is there after the change, or what the mutator left as it was
   * @throws StoreException when the store definitely refuses; this call has then written nothing,
   *     unless an earlier put of it was unknown
   * @throws io.wings.common.error.WingsException {@code retries-exhausted}: the change may or may
   *     not have been made, or may still be
   */
  public Optional<T> update(Function<Optional<T>, Optional<T>> mutator) {
    Set<String> sent = new HashSet<>();
    return retry.run("cas of " + key, MAX_ATTEMPTS, number -> attempt(mutator, sent));
  }

  /** Creates the object unless it is there; returns what is there in the end. */
  public T createIfAbsent(T value) {
    return update(current -> current.isPresent() ? Optional.empty() : Optional.of(value))
        .orElseThrow();
  }

  /**
   * @param sent ids of this call's puts whose outcome is unknown
   */
  private Attempt<Optional<T>> attempt(
      Function<Optional<T>, Optional<T>> mutator, Set<String> sent) {
    Optional<StoredObject> stored;
    try {
      stored = store.get(key);
    } catch (StoreException e) {
      if (!e.retryable()) {
        throw e;
      }
      return Attempt.again(e.toString(), e);
    }
    Optional<Codec.Stamped<T>> current = stored.map(object -> codec.decode(object.bytes()));
    if (current.isPresent() && sent.contains(current.get().putId())) {
      return Attempt.done(current.map(Codec.Stamped::value));
    }
    Optional<T> before = current.map(Codec.Stamped::value);
    Optional<T> after = mutator.apply(before);
    if (after.isEmpty()) {
      return Attempt.done(before);
    }
    String putId = ids.hex();
    PutCondition condition =
        stored
            .map(object -> PutCondition.ifVersion(object.version()))
            .orElseGet(PutCondition::ifAbsent);
    Body body =
        stored
            .map(object -> codec.encode(after.get(), putId, object.bytes()))
            .orElseGet(() -> codec.encode(after.get(), putId));
    return switch (store.put(key, body, condition)) {
      case PutOutcome.Written(_) -> Attempt.done(after);
      case PutOutcome.Lost() -> Attempt.again("another write came first");
      case PutOutcome.Missing() -> Attempt.again("the object was removed meanwhile");
      case PutOutcome.Unknown(String reason) -> {
        sent.add(putId);
        yield Attempt.again("outcome unknown: " + reason);
      }
    };
  }
}
