package io.wings.common.objectstore;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out at start whether a store honours conditions, in sequence and under a race. Every role
 * runs it before it serves: all that Wings promises rests on these conditions.
 */
public final class StoreProbe {
  /** Where the probe's objects are; it removes them. */
  public static final String PREFIX = "probe/";

  /** Puts of one key at once. */
  static final int CONTENDERS = 16;

  /** Races of each kind. */
  static final int ROUNDS = 8;

  /**
   * Bytes of a racing put: a store that checks first and writes then takes the longer for it, so
   * that its contenders meet.
   */
  private static final int RACING_BYTES = 4 << 10;

  /** How often a part is begun anew because the outcome of a put was unknown. */
  private static final int MAX_ATTEMPTS = 5;

  /**
   * Of the whole probe. A store that answers as S3 does takes a few seconds. One whose losers wait
   * for each other in steps of a second, as SeaweedFS's do, takes some ten seconds more, and is
   * safe; one that takes longer than this for some hundred small puts is of no use.
   */
  public static final Duration LIMIT = Duration.ofMinutes(2);

  private static final Logger LOG = LoggerFactory.getLogger(StoreProbe.class);

  private final ObjectStore store;
  private final Time time;
  private final Ids ids;
  private final Threads threads;
  private final Retry retry;
  private final String prefix;
  private final AtomicInteger keysMade = new AtomicInteger();
  private final Queue<String> keys = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private @Nullable Verdict verdict;

  /** What the probe is at, for the error of one that doesn't end. */
  private volatile Supplier<String> step = () -> "its start";

  private volatile boolean abandoned;

  /**
   * How the probe ended.
   *
   * @param refusal null: the store is fit
   */
  private record Verdict(@Nullable RuntimeException refusal) {}

  private StoreProbe(ObjectStore store, Time time, Ids ids, Threads threads) {
    this.store = store;
    this.time = time;
    this.ids = ids;
    this.threads = threads;
    this.retry = new Retry(time, ids, Backoff.STORE);
    this.prefix = PREFIX + ids.hex() + "/";
  }

  /**
   * Returns when the store is fit for use.
   *
   * @throws WingsException INVALID {@code store-unsafe}, naming the store and the broken condition;
   *     INVALID {@code store-refused} when the store denies the access; UNAVAILABLE {@code
   *     store-unreachable}, {@code store-probe-timeout} or {@code retries-exhausted}, when a later
   *     start may succeed
   */
  public static void check(ObjectStore store, Time time, Ids ids, Threads threads) {
    new StoreProbe(store, time, ids, threads).check();
  }

  /** On a thread of its own, so that a store that never answers doesn't hold the caller up. */
  private void check() {
    long begun = time.nanos();
    Thread prober = threads.start("store-probe", this::probe);
    RuntimeException refusal;
    lock.lock();
    try {
      while (verdict == null) {
        Duration left = LIMIT.minus(time.since(begun));
        if (!left.isPositive()) {
          throw timeout(time.since(begun));
        }
        boolean _ = time.await(lock, ended, left);
      }
      refusal = verdict.refusal();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WingsException.unavailable("interrupted", "the store probe was told to stop", e);
    } finally {
      abandoned = verdict == null;
      lock.unlock();
      if (abandoned) {
        prober.interrupt();
      }
    }
    if (refusal != null) {
      throw refusal;
    }
  }

  private WingsException timeout(Duration took) {
    return WingsException.unavailable(
        "store-probe-timeout",
        ("%s didn't finish the probe of its conditional writes within %d s: after %d s it was still"
                + " at %s; see whether it is overloaded or hard to reach and start again; if it"
                + " stays so, the store can't take puts of one key at once: use another")
            .formatted(store.address(), LIMIT.toSeconds(), took.toSeconds(), step.get()),
        null);
  }

  private void probe() {
    RuntimeException refusal = null;
    try {
      run();
    } catch (StoreException e) {
      refusal =
          e.retryable()
              ? WingsException.unavailable(
                  "store-unreachable", store.address() + " doesn't answer: " + e.getMessage(), e)
              : new WingsException(
                  ErrorKind.INVALID,
                  "store-refused",
                  store.address() + " refuses access: " + e.getMessage(),
                  e);
    } catch (RuntimeException e) {
      refusal = e;
    }
    cleanUp();
    lock.lock();
    try {
      verdict = new Verdict(refusal);
      ended.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    step = () -> "single puts of one key";
    retry.run("probe of " + store.address(), MAX_ATTEMPTS, _ -> sequence());
    ProbeRaces races = new ProbeRaces(time, threads);
    step = races::step;
    for (int round = 1; round <= ROUNDS; round++) {
      begin(races, round, "creates", this::racingCreates);
      begin(races, round, "replacements", this::racingReplacements);
    }
    races.end();
  }

  private void begin(
      ProbeRaces races, int round, String kind, Function<Progress, Attempt<Boolean>> race) {
    Progress progress = new Progress();
    races.begin(
        () -> retry.run("probe of " + store.address(), MAX_ATTEMPTS, _ -> race.apply(progress)),
        () ->
            "round %d of %d, %d %s of one key at once, %d of them answered"
                .formatted(round, ROUNDS, CONTENDERS, kind, progress.answered.getAsLong()));
  }

  /** How many contenders of a race have been answered. */
  private static final class Progress {
    private volatile LongSupplier answered = () -> 0;
  }

  private Attempt<Boolean> sequence() {
    String key = freshKey();
    byte[] first = content();
    if (!(create(key, first) instanceof PutOutcome.Written(String created))) {
      return Attempt.again("the first put of a key had no known outcome");
    }
    require(
        create(key, content()),
        PutOutcome.Lost.class,
        "if-absent",
        "created an object that was there");
    requireContent(key, first, created, "if-absent");
    byte[] second = content();
    if (!(replace(key, second, created) instanceof PutOutcome.Written(String replaced))) {
      return Attempt.again("the first replacement of an object had no known outcome");
    }
    require(
        replace(key, content(), created),
        PutOutcome.Lost.class,
        "if-version",
        "replaced an object of another version");
    requireContent(key, second, replaced, "if-version");
    require(
        replace(freshKey(), content(), replaced),
        PutOutcome.Missing.class,
        "if-version",
        "wrote where there was no object");
    if (!listed(key)) {
      throw unsafe("listing", "doesn't show an object that was just written");
    }
    return Attempt.done(true);
  }

  private boolean listed(String key) {
    Iterator<ObjectHead> heads = store.list(prefix, "");
    while (heads.hasNext()) {
      if (heads.next().key().equals(key)) {
        return true;
      }
    }
    return false;
  }

  /**
   * An unknown outcome proves nothing; the races, which read back, are the test of such a store.
   */
  private void require(
      PutOutcome outcome, Class<? extends PutOutcome> expected, String condition, String fault) {
    if (outcome instanceof PutOutcome.Written) {
      throw unsafe(condition, fault);
    }
    if (!expected.isInstance(outcome) && !(outcome instanceof PutOutcome.Unknown)) {
      throw unsafe(
          condition, "was answered " + outcome + " instead of " + expected.getSimpleName());
    }
  }

  private void requireContent(String key, byte[] bytes, String version, String condition) {
    Optional<StoredObject> found = store.get(key);
    if (found.isEmpty()) {
      throw unsafe(condition, "reported a write that can't be read");
    }
    if (!Arrays.equals(found.get().bytes(), bytes)) {
      throw unsafe(condition, "was answered Lost, and wrote all the same");
    }
    if (!found.get().version().equals(version)) {
      throw unsafe(
          condition, "reported version " + version + " for an object that reads as another");
    }
  }

  private Attempt<Boolean> racingCreates(Progress progress) {
    String key = freshKey();
    return judge(key, "if-absent", race(progress, key, PutCondition.ifAbsent()), Optional.empty());
  }

  private Attempt<Boolean> racingReplacements(Progress progress) {
    String key = freshKey();
    byte[] before = content();
    if (!(create(key, before) instanceof PutOutcome.Written(String version))) {
      return Attempt.again("the first put of a key had no known outcome");
    }
    return judge(
        key,
        "if-version",
        race(progress, key, PutCondition.ifVersion(version)),
        Optional.of(before));
  }

  private List<ProbeRace.Finish> race(Progress progress, String key, PutCondition condition) {
    List<byte[]> contents = new ArrayList<>();
    for (int i = 0; i < CONTENDERS; i++) {
      contents.add(Arrays.copyOf(content(), RACING_BYTES));
    }
    ProbeRace race = new ProbeRace(store, key, condition, contents);
    progress.answered = race::finished;
    return race.run(threads);
  }

  private Attempt<Boolean> judge(
      String key, String condition, List<ProbeRace.Finish> finishes, Optional<byte[]> before) {
    List<byte[]> winners = new ArrayList<>();
    List<byte[]> unknown = new ArrayList<>();
    for (ProbeRace.Finish finish : finishes) {
      switch (finish.outcome()) {
        case PutOutcome.Written(_) -> winners.add(finish.content());
        case PutOutcome.Unknown(_) -> unknown.add(finish.content());
        case PutOutcome.Lost(), PutOutcome.Missing() -> {}
      }
    }
    if (winners.size() > 1) {
      throw unsafe(
          condition,
          "let %d of %d puts at once win where one may".formatted(winners.size(), CONTENDERS));
    }
    Optional<byte[]> found = store.get(key).map(StoredObject::bytes);
    if (winners.size() == 1) {
      if (!holds(winners, found)) {
        throw unsafe(condition, "let a put at once with others win that isn't there afterwards");
      }
      return Attempt.done(true);
    }
    if (holds(unknown, found)) {
      return Attempt.done(true);
    }
    if (unknown.isEmpty()) {
      throw unsafe(condition, "let none of %d puts at once win".formatted(CONTENDERS));
    }
    if (found.isPresent() && !before.map(bytes -> holds(List.of(bytes), found)).orElse(false)) {
      throw unsafe(condition, "let a put win that it had answered Lost");
    }
    return Attempt.again("no outcome of a race is known");
  }

  private static boolean holds(List<byte[]> contents, Optional<byte[]> found) {
    return found.isPresent()
        && contents.stream().anyMatch(bytes -> Arrays.equals(bytes, found.get()));
  }

  private PutOutcome create(String key, byte[] content) {
    return store.put(key, Body.of(content), PutCondition.ifAbsent());
  }

  private PutOutcome replace(String key, byte[] content, String version) {
    return store.put(key, Body.of(content), PutCondition.ifVersion(version));
  }

  private String freshKey() {
    String key = prefix + keysMade.getAndIncrement();
    keys.add(key);
    return key;
  }

  /** Unique, as a put id would make it. */
  private byte[] content() {
    return ids.hex().getBytes(StandardCharsets.US_ASCII);
  }

  private WingsException unsafe(String condition, String fault) {
    return WingsException.invalid(
        "store-unsafe",
        "%s can't hold a cluster: %s %s; use a store with atomic conditional writes"
            .formatted(store.address(), condition, fault));
  }

  private void cleanUp() {
    if (abandoned) {
      LOG.warn("objects of the probe may stay in {} under {}", store.address(), prefix);
      return;
    }
    Supplier<String> before = step;
    step = () -> "removing its objects, after " + before.get();
    for (String key : keys) {
      try {
        store.delete(key);
      } catch (StoreException e) {
        LOG.warn("the probe's object {} stays in {}: {}", key, store.address(), e.getMessage());
      }
    }
  }
}
