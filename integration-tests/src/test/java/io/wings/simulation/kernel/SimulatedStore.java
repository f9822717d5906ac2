package io.wings.simulation.kernel;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoredObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One process's way to the store of the run. */
final class SimulatedStore implements ObjectStore {
  /** When a caller gives a request up. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** A connection that breaks is noticed within this. */
  private static final int BREAK_MILLIS = 400;

  /** Objects of a page of a listing: few, so that others write between two pages. */
  private static final int PAGE = 16;

  /** What becomes of one call. */
  private enum Fate {
    WELL,
    REQUEST_LOST,
    REPLY_LOST,
    LANDS_LATER,
    THROTTLED,
    CONFLICT
  }

  /** What a call came to. */
  private sealed interface Reply<T> {
    record Answer<T>(T value) implements Reply<T> {}

    record Broken<T>(String reason) implements Reply<T> {}
  }

  private final SimulatedS3 store;
  private final Scheduler scheduler;
  private final SimulatedProcess process;

  SimulatedStore(SimulatedS3 store, SimulatedProcess process) {
    this.store = store;
    this.scheduler = store.scheduler();
    this.process = process;
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    // The caller may change its buffers once it has given up.
    byte[] bytes = body.toBytes();
    String name =
        switch (condition) {
          case PutCondition.Any() -> "put";
          case PutCondition.IfAbsent() -> "put-if-absent";
          case PutCondition.IfVersion(_) -> "put-if-version";
        };
    Fate fate = putFate(condition);
    Reply<PutOutcome> reply = call(name + " " + key, fate, true, () -> land(key, bytes, condition));
    return switch (reply) {
      case Reply.Answer<PutOutcome>(PutOutcome outcome) ->
          fate == Fate.CONFLICT ? new PutOutcome.Unknown("409") : outcome;
      case Reply.Broken<PutOutcome>(String reason) -> new PutOutcome.Unknown(reason);
    };
  }

  private PutOutcome land(String key, byte[] bytes, PutCondition condition) {
    PutOutcome outcome = store.truth().put(key, Body.of(bytes), condition);
    if (outcome instanceof PutOutcome.Written) {
      store.written(process, key, bytes);
    }
    return outcome;
  }

  @Override
  public Optional<StoredObject> get(String key) {
    return read("get", key, () -> store.truth().get(key));
  }

  @Override
  public Optional<StoredObject> getRange(String key, long offset, int length) {
    return read("get-range", key, () -> store.truth().getRange(key, offset, length));
  }

  @Override
  public Optional<ObjectHead> head(String key) {
    return read("head", key, () -> store.truth().head(key));
  }

  @Override
  public void delete(String key) {
    boolean _ =
        read(
            "delete",
            key,
            () -> {
              boolean there = store.truth().head(key).isPresent();
              store.truth().delete(key);
              if (there) {
                store.deleted(process, key);
              }
              return there;
            });
  }

  @Override
  public Iterator<ObjectHead> list(String prefix, String startAfter) {
    return new Pages(prefix, startAfter);
  }

  /** Fetches a page when the one before is used up. */
  private final class Pages implements Iterator<ObjectHead> {
    private final String prefix;
    private String after;
    private List<ObjectHead> page;
    private int at;

    Pages(String prefix, String startAfter) {
      this.prefix = prefix;
      this.after = startAfter;
      this.page = fetch();
    }

    private List<ObjectHead> fetch() {
      return read(
          "list",
          prefix,
          () -> {
            List<ObjectHead> found = new ArrayList<>();
            Iterator<ObjectHead> all = store.truth().list(prefix, after);
            while (found.size() < PAGE && all.hasNext()) {
              found.add(all.next());
            }
            return found;
          });
    }

    @Override
    public boolean hasNext() {
      if (at == page.size() && page.size() == PAGE) {
        after = page.getLast().key();
        page = fetch();
        at = 0;
      }
      return at < page.size();
    }

    @Override
    public ObjectHead next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return page.get(at++);
    }
  }

  @Override
  public String address() {
    return store.truth().address();
  }

  @Override
  public void close() {}

  // --- calls -----------------------------------------------------------------------------------

  private <T> T read(String name, String key, Supplier<T> effect) {
    return switch (call(name + " " + key, otherFate(name), name.equals("delete"), effect)) {
      case Reply.Answer<T>(T value) -> value;
      case Reply.Broken<T>(String reason) ->
          throw new StoreException(name + " of " + key + ": " + reason, true, null);
    };
  }

  private Fate putFate(PutCondition condition) {
    StoreWeather weather = store.weather();
    Random random = scheduler.choices();
    double drawn = random.nextDouble() / odds("put");
    drawn -= weather.requestLost();
    if (drawn < 0) {
      return fate("put request lost", Fate.REQUEST_LOST);
    }
    drawn -= weather.replyLost();
    if (drawn < 0) {
      return fate("put reply lost", Fate.REPLY_LOST);
    }
    drawn -= weather.landsLater();
    if (drawn < 0) {
      return fate("put lands later", Fate.LANDS_LATER);
    }
    drawn -= weather.throttled();
    if (drawn < 0) {
      return fate("put throttled", Fate.THROTTLED);
    }
    drawn -= weather.conflict();
    boolean conditional = !(condition instanceof PutCondition.Any);
    return drawn < 0 && conditional ? fate("put 409", Fate.CONFLICT) : Fate.WELL;
  }

  private Fate otherFate(String name) {
    boolean lasting = name.equals("delete") || name.equals("list");
    StoreWeather weather = lasting ? store.lastingWeather() : store.weather();
    double drawn = scheduler.choices().nextDouble() / odds(name);
    drawn -= weather.requestLost();
    if (drawn < 0) {
      return fate(name + " request lost", Fate.REQUEST_LOST);
    }
    drawn -= weather.replyLost();
    if (drawn < 0) {
      return fate(name + " reply lost", Fate.REPLY_LOST);
    }
    drawn -= weather.throttled();
    return drawn < 0 ? fate(name + " throttled", Fate.THROTTLED) : Fate.WELL;
  }

  /** Calls that are seldom made go wrong more often than others. */
  private double odds(String name) {
    return switch (name) {
      case "delete" -> 3;
      case "head" -> 2.5;
      // Somebody waits for a list, if nobody does for a delete.
      case "list" -> store.weather().equals(StoreWeather.CALM) ? 0.25 : 3;
      case "get-range" -> 1.7;
      case "put" -> 1.4;
      default -> 1;
    };
  }

  private Fate fate(String fault, Fate fate) {
    store.faults().count(fault);
    return fate;
  }

  private <T> Reply<T> call(String what, Fate fate, boolean put, Supplier<T> effect) {
    Random random = scheduler.choices();
    Promise<Reply<T>> reply = new Promise<>(scheduler);
    long latency = store.latency(put).toNanos();
    Duration there = Duration.ofNanos((long) (latency * random.nextDouble()));
    Duration back = Duration.ofNanos(latency - there.toNanos());
    boolean taken = fate != Fate.THROTTLED && fate != Fate.REQUEST_LOST;
    // A 409 says nothing about the effect: it may have come from this very put's first
    // transmission.
    boolean effective = taken && (fate != Fate.CONFLICT || random.nextBoolean());
    String suffix = fate == Fate.WELL ? "" : " (" + fate + ")";
    Duration arrival =
        fate == Fate.LANDS_LATER
            ? Duration.ofNanos(random.nextLong(StoreWeather.LATEST_LANDING.toNanos()))
            : there;
    scheduler.after(
        arrival,
        () -> {
          T value = effective ? effect.get() : null;
          store.took(process.name(), what + suffix + (value == null ? "" : " -> " + shown(value)));
          scheduler.after(back, () -> answer(reply, fate, value));
        });
    return await(reply, fate);
  }

  private static <T> void answer(Promise<Reply<T>> reply, Fate fate, @Nullable T value) {
    switch (fate) {
      case THROTTLED -> reply.complete(new Reply.Broken<>("503"));
      case CONFLICT -> reply.complete(new Reply.Broken<>("409"));
      case REQUEST_LOST, REPLY_LOST -> {}
      case WELL, LANDS_LATER -> {
        if (value != null) {
          reply.complete(new Reply.Answer<>(value));
        }
      }
    }
  }

  private <T> Reply<T> await(Promise<Reply<T>> reply, Fate fate) {
    // A lost message shows as a broken connection soon, or as silence until the caller gives up.
    boolean broken = fate != Fate.WELL && scheduler.choices().nextInt(3) > 0;
    long patience =
        broken
            ? Duration.ofMillis(1L + scheduler.choices().nextInt(BREAK_MILLIS)).toNanos()
            : TIMEOUT.toNanos();
    try {
      Reply<T> arrived = reply.await(scheduler.now() + patience);
      return arrived == null ? new Reply.Broken<>(broken ? "reset" : "time-out") : arrived;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Reply.Broken<>("interrupted");
    }
  }

  private static String shown(Object value) {
    return switch (value) {
      case PutOutcome outcome -> outcome.getClass().getSimpleName();
      // Not its size: what is compressed is as long as its random ids make it.
      case Optional<?> found -> found.isEmpty() ? "none" : "there";
      case List<?> page -> page.size() + " keys";
      default -> value.toString();
    };
  }
}
