package io.wings.common.cas;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
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

/**
 * One object that has one holder at a time: who takes it over, by CAS and with a higher epoch,
 * fences its predecessor, whose writes fail from there on.
 *
 * <p>An <em>unknown</em> put is settled before anything else is put: the same bytes again under the
 * same condition, until the object shows its put id (it landed, however late) or another holder's
 * (it can't land any more; whether it had landed before stands in {@link Fence#earlier}). So a lost
 * reply never makes a live holder fence itself, and a holder is deposed only by what the object
 * shows.
 *
 * <p>Typical use, by a broker: {@link #read} until the object has not changed for a while, {@link
 * #claim} what was seen, then {@link Held#write} for every change, and {@link Held#confirm} before
 * answering a question that changes nothing.
 */
public final class FencedObject<T> {
  private final ObjectStore store;
  private final String key;
  private final FencedCodec<T> codec;
  private final Ids ids;
  private final Retry retry;

  public FencedObject(
      ObjectStore store, String key, FencedCodec<T> codec, Time time, Ids ids, Backoff backoff) {
    this.store = store;
    this.key = key;
    this.codec = codec;
    this.ids = ids;
    this.retry = new Retry(time, ids, backoff);
  }

  /** The object as one read saw it. Equal {@code fence}s mean that nothing was written between. */
  public record Seen<T>(String version, Fence fence, T value) {}

  /**
   * Reads the object once; empty when there is none.
   *
   * @throws StoreException when the read fails; not retried
   */
  public Optional<Seen<T>> read() {
    return store
        .get(key)
        .map(
            stored -> {
              FencedCodec.Fenced<T> fenced = codec.decode(stored.bytes());
              return new Seen<>(stored.version(), fenced.fence(), fenced.value());
            });
  }

  /**
   * Takes the object over, if it is still as it was {@code seen}, and writes {@code value} under
   * the next epoch. Returns once it is known whether that succeeded.
   *
   * @param seen empty: the object is created
   * @return empty when someone else wrote the object first, or took it over since
   * @throws StoreException when the store definitely refused: nothing was written
   * @throws WingsException {@code interrupted}: not known
   */
  public Optional<Held> claim(Optional<Seen<T>> seen, T value) {
    String putId = ids.hex();
    Fence fence =
        seen.map(before -> before.fence().takenOver(putId)).orElseGet(() -> Fence.first(putId));
    PutCondition condition =
        seen.map(before -> PutCondition.ifVersion(before.version()))
            .orElseGet(PutCondition::ifAbsent);
    return switch (settle(fence, value, condition)) {
      case Settled.There<T>(String version) -> Optional.of(new Held(fence, version));
      case Settled.NotThere<T> _ -> Optional.empty();
    };
  }

  /** The object under one epoch. One call at a time; not for use by several threads at once. */
  public final class Held {
    private Fence fence;
    private String version;
    private boolean over;

    private Held(Fence fence, String version) {
      this.fence = fence;
      this.version = version;
    }

    public long epoch() {
      return fence.epoch();
    }

    /**
     * Replaces the value; returns once it is known whether it is there.
     *
     * @throws StoreException when the store definitely refused: nothing was written, the object is
     *     still held
     * @throws WingsException {@code interrupted}: not known, no further call is allowed; {@code
     *     epoch-over} when an earlier call was answered <em>deposed</em> or was interrupted
     */
    public FencedWrite<T> write(T value) {
      requireHeld();
      Fence next = fence.again(ids.hex());
      Settled<T> settled;
      over = true;
      try {
        settled = settle(next, value, PutCondition.ifVersion(version));
      } catch (StoreException e) {
        over = false;
        throw e;
      }
      return switch (settled) {
        case Settled.There<T>(String landed) -> {
          fence = next;
          version = landed;
          over = false;
          yield new FencedWrite.Landed<>();
        }
        case Settled.NotThere<T>(boolean landed, Optional<Seen<T>> now) ->
            new FencedWrite.Deposed<>(landed, now);
      };
    }

    /**
     * Looks, by one read begun now, whether the object is still held.
     *
     * @return false when the object shows another holder or is gone; then no further call is
     *     allowed
     * @throws StoreException when the read fails: not known; may be called again
     */
    public boolean confirm() {
      requireHeld();
      over = !read().map(now -> now.fence().equals(fence)).orElse(false);
      return !over;
    }

    private void requireHeld() {
      if (over) {
        throw new WingsException(
            ErrorKind.FENCED,
            "epoch-over",
            "epoch " + fence.epoch() + " of " + key + " has ended; stand by and look again");
      }
    }
  }

  /** Where a put stands, for certain. */
  private sealed interface Settled<T> {
    record There<T>(String version) implements Settled<T> {}

    record NotThere<T>(boolean landed, Optional<Seen<T>> now) implements Settled<T> {}
  }

  private Settled<T> settle(Fence fence, T value, PutCondition condition) {
    Put put = new Put(fence, codec.encode(fence, value), condition);
    return retry.run("write of " + key, Retry.UNTIL_KNOWN, _ -> attempt(put));
  }

  /** A put until it is settled. */
  private static final class Put {
    final Fence fence;
    final Body body;
    final PutCondition condition;

    /** Whether it has been sent and may have landed, or may yet. */
    boolean unknown;

    Put(Fence fence, Body body, PutCondition condition) {
      this.fence = fence;
      this.body = body;
      this.condition = condition;
    }
  }

  private Attempt<Settled<T>> attempt(Put put) {
    try {
      if (put.unknown) {
        Optional<Seen<T>> now = read();
        if (!mayStillLand(put.condition, now)) {
          return Attempt.done(judge(put.fence, now));
        }
      }
      return switch (store.put(key, put.body, put.condition)) {
        case PutOutcome.Written(String version) -> Attempt.done(new Settled.There<>(version));
        case PutOutcome.Lost(), PutOutcome.Missing() -> {
          // From here on the outcome is settled; only the read that tells it may fail.
          put.unknown = true;
          yield Attempt.done(judge(put.fence, read()));
        }
        case PutOutcome.Unknown(String reason) -> {
          put.unknown = true;
          yield Attempt.again("outcome unknown: " + reason);
        }
      };
    } catch (StoreException e) {
      if (!put.unknown) {
        throw e;
      }
      return Attempt.again(e.toString(), e);
    }
  }

  private static <T> boolean mayStillLand(PutCondition condition, Optional<Seen<T>> now) {
    return switch (condition) {
      case PutCondition.Any() -> true;
      case PutCondition.IfAbsent() -> now.isEmpty();
      case PutCondition.IfVersion(String version) ->
          now.map(seen -> seen.version().equals(version)).orElse(false);
    };
  }

  private static <T> Settled<T> judge(Fence fence, Optional<Seen<T>> now) {
    boolean landed =
        now.map(seen -> seen.fence().shows(fence.epoch(), fence.putId())).orElse(false);
    if (landed && now.get().fence().epoch() == fence.epoch()) {
      return new Settled.There<>(now.get().version());
    }
    return new Settled.NotThere<>(landed, now);
  }
}
