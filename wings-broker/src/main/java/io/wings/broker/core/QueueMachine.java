package io.wings.broker.core;

import io.wings.broker.core.Entry.Leased;
import io.wings.broker.core.Entry.Parked;
import io.wings.broker.core.Entry.Waiting;
import io.wings.common.config.ByteSize;
import io.wings.common.id.Ids;
import io.wings.common.queue.Lease;
import io.wings.common.queue.StoredTask;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskSpec;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides everything about tasks and leases. Deterministic: the same commands at the same moments,
 * with the same ids, give the same replies. Confined to one thread.
 */
public final class QueueMachine {
  /** Of a failure's text, in characters. */
  public static final int MAX_ERROR_CHARS = 1000;

  /** The same where a catalog's tasks take more than half of its share: tasks come before texts. */
  public static final int SHORT_ERROR_CHARS = 200;

  /** Granted to one request. */
  public static final int MAX_LEASES_PER_REQUEST = 64;

  private final QueueRules rules;
  private final Ids ids;
  private final QueueState state = new QueueState();

  private QueueMachine(QueueRules rules, Ids ids) {
    this.rules = rules;
    this.ids = ids;
  }

  /** A queue with nothing but what recurs. */
  public static QueueMachine empty(QueueRules rules, Ids ids, Moment now) {
    return restore(rules, ids, List.of(), now);
  }

  /**
   * Takes over what another broker, or an earlier life of this one, has left. A lease is extended
   * once; one that was taken over before, and whose worker hasn't been heard of since, ends.
   */
  public static QueueMachine restore(
      QueueRules rules, Ids ids, List<StoredTask> tasks, Moment now) {
    QueueMachine machine = new QueueMachine(rules, ids);
    for (StoredTask task : tasks) {
      machine.state.put(
          new Entry(
              task.kind(),
              task.key(),
              task.group(),
              task.payload(),
              machine.restored(task.standing(), now),
              task.failures(),
              task.expiries(),
              task.error(),
              task.scheduledAt()));
    }
    boolean _ = machine.recur(now);
    return machine;
  }

  private Entry.Standing restored(StoredTask.Standing standing, Moment now) {
    return switch (standing) {
      case StoredTask.Waiting(Duration runsIn) -> new Waiting(now.after(rules.clamp(runsIn)));
      case StoredTask.Leased lease ->
          new Leased(
              lease.id(),
              lease.worker(),
              lease.takenOver() ? now.nanos() : now.after(rules.lease()),
              true,
              lease.runsAgainIn() == null ? null : now.after(rules.clamp(lease.runsAgainIn())));
      case StoredTask.Parked(boolean marked) -> new Parked(marked);
    };
  }

  /** Applies one command. */
  public Outcome apply(Command command, Moment now) {
    return switch (command) {
      case Command.Schedule(List<TaskSpec> tasks) -> schedule(tasks, now);
      case Command.Request request -> request(request, now);
      case Command.Acknowledge(String leaseId) -> acknowledge(leaseId, now);
      case Command.Fail fail -> fail(fail, now);
      case Command.Heartbeat(List<String> leaseIds) -> heartbeat(leaseIds, now);
      case Command.ListTasks() -> list(now);
      case Command.Retry(String key) -> retry(key, now);
      case Command.Release(List<String> leaseIds) -> release(leaseIds, now);
    };
  }

  /**
   * Ends leases whose time is over. Called after the commands that have arrived, so that a
   * heartbeat that is already there counts.
   *
   * @return whether anything changed
   */
  public boolean expire(Moment now) {
    List<Entry> expired = state.expired(now.nanos());
    for (Entry entry : expired) {
      int expiries = entry.expiries() + 1;
      if (expiries < rules.expiriesPerFailure()) {
        state.put(
            entry
                .withCounts(entry.failures(), expiries, entry.error())
                .with(new Waiting(now.nanos())));
      } else {
        String error = expiries + " leases in a row ran out; their workers died or hung";
        failed(entry, error, Duration.ZERO, now);
      }
    }
    return !expired.isEmpty();
  }

  /** Makes sure of the recurring tasks. */
  private boolean recur(Moment now) {
    boolean changed = false;
    for (QueueRules.Recurring recurring : rules.recurring()) {
      if (state.get(recurring.task().key()) == null) {
        state.put(fresh(recurring.task(), now.nanos(), now));
        changed = true;
      }
    }
    return changed;
  }

  private Outcome schedule(List<TaskSpec> tasks, Moment now) {
    Map<String, Long> growth = new TreeMap<>();
    long needed = state.bytes();
    for (TaskSpec spec : tasks) {
      long bytes = growth(spec, now);
      needed += bytes;
      if (bytes > 0) {
        growth.merge(Entry.catalog(spec.key()), bytes, Long::sum);
      }
    }
    for (Map.Entry<String, Long> grown : growth.entrySet()) {
      long own = state.bytes(grown.getKey()) + grown.getValue();
      long share = rules.share(needed - own);
      if (own > share) {
        Reply full = new Reply.Full(grown.getKey(), new ByteSize(own), new ByteSize(share));
        return new Outcome(full, false);
      }
    }
    boolean changed = false;
    for (TaskSpec spec : tasks) {
      changed |= schedule(spec, now);
    }
    return new Outcome(new Reply.Scheduled(), changed);
  }

  /** By how much scheduling {@code spec} makes the queue grow, in bytes; at most. */
  private long growth(TaskSpec spec, Moment now) {
    Entry entry = state.get(spec.key());
    if (entry == null) {
      return fresh(spec, 0, now).size();
    }
    if (entry.payload().equals(spec.payload())) {
      return 0;
    }
    return Math.max(0, entry.withPayload(spec.payload()).size() - entry.size());
  }

  private boolean schedule(TaskSpec spec, Moment now) {
    long runAt = now.after(rules.clamp(spec.delay()));
    Entry entry = state.get(spec.key());
    if (entry == null) {
      state.put(fresh(spec, runAt, now));
      return true;
    }
    Entry.Standing standing =
        switch (entry.standing()) {
          case Waiting(long before) ->
              // A task that backs off isn't hurried by those who don't know that it fails.
              entry.failures() > 0 || before <= runAt ? entry.standing() : new Waiting(runAt);
          case Leased lease ->
              lease.runAgainAt() != null && lease.runAgainAt() <= runAt
                  ? lease
                  : new Leased(
                      lease.id(), lease.worker(), lease.deadline(), lease.takenOver(), runAt);
          case Parked _ -> new Parked(true);
        };
    Entry after = entry.withPayload(spec.payload()).with(standing);
    if (after.equals(entry)) {
      return false;
    }
    state.put(after);
    return true;
  }

  private static Entry fresh(TaskSpec spec, long runAt, Moment now) {
    return new Entry(
        spec.kind(),
        spec.key(),
        spec.group(),
        spec.payload(),
        new Waiting(runAt),
        0,
        0,
        null,
        wall(now));
  }

  private static String wall(Moment now) {
    return now.wall().truncatedTo(ChronoUnit.MILLIS).toString();
  }

  private Outcome request(Command.Request request, Moment now) {
    int max = Math.min(request.max(), MAX_LEASES_PER_REQUEST);
    List<Lease> leases = new ArrayList<>();
    for (Entry entry : state.runnable(request.kinds(), max, now.nanos())) {
      Leased lease = new Leased(ids.hex(), request.worker(), now.after(rules.lease()), false, null);
      Entry leased = entry.with(lease);
      state.put(leased);
      leases.add(new Lease(lease.id(), leased.task(now), rules.lease()));
    }
    return new Outcome(new Reply.Granted(leases), !leases.isEmpty());
  }

  private Outcome acknowledge(String leaseId, Moment now) {
    Entry entry = state.leased(leaseId);
    if (entry == null || !(entry.standing() instanceof Leased lease)) {
      return new Outcome(new Reply.Settled(false), false);
    }
    Optional<Duration> every = recurrence(entry.key());
    Long runAt = lease.runAgainAt();
    if (every.isPresent()) {
      long next = now.after(every.get());
      runAt = runAt == null ? next : Math.min(runAt, next);
    }
    if (runAt == null) {
      state.remove(entry.key());
    } else {
      state.put(entry.withCounts(0, 0, null).with(new Waiting(runAt)).since(wall(now)));
    }
    return new Outcome(new Reply.Settled(true), true);
  }

  private Optional<Duration> recurrence(String key) {
    return rules.recurring().stream()
        .filter(recurring -> recurring.task().key().equals(key))
        .map(QueueRules.Recurring::every)
        .findFirst();
  }

  private Outcome fail(Command.Fail fail, Moment now) {
    Entry entry = state.leased(fail.leaseId());
    if (entry == null) {
      return new Outcome(new Reply.Settled(false), false);
    }
    failed(entry, fail.error(), fail.retryAfter() == null ? Duration.ZERO : fail.retryAfter(), now);
    return new Outcome(new Reply.Settled(true), true);
  }

  private void failed(Entry entry, String error, Duration retryAfter, Moment now) {
    int failures = entry.failures() + 1;
    Entry counted = counted(entry, failures, error);
    if (failures >= rules.failuresUntilParked() && !rules.neverParked().contains(entry.kind())) {
      boolean marked = entry.standing() instanceof Leased lease && lease.runAgainAt() != null;
      state.put(counted.with(new Parked(marked)));
      return;
    }
    Duration backoff = rules.backoff(failures);
    Duration wanted = rules.clamp(retryAfter);
    Duration delay = wanted.compareTo(backoff) > 0 ? wanted : backoff;
    state.put(counted.with(new Waiting(now.after(delay))));
  }

  /** With as much of the error as there is room for: nobody is asked whether a task may fail. */
  private Entry counted(Entry entry, int failures, String error) {
    Entry counted = entry.withCounts(failures, 0, cut(error, MAX_ERROR_CHARS));
    long others = state.bytes() - state.bytes(entry.catalog());
    long own = state.bytes(entry.catalog()) - entry.size() + counted.size();
    if (own <= rules.share(others) / 2) {
      return counted;
    }
    int chars = SHORT_ERROR_CHARS;
    Entry shortened = entry.withCounts(failures, 0, cut(error, chars));
    while (!shortened.hasShortError()) {
      chars /= 2;
      shortened = entry.withCounts(failures, 0, cut(error, chars));
    }
    return shortened;
  }

  private static String cut(String error, int chars) {
    if (error.length() <= chars) {
      return error;
    }
    boolean splits = chars > 0 && Character.isHighSurrogate(error.charAt(chars - 1));
    return error.substring(0, splits ? chars - 1 : chars);
  }

  /** Not a change: it is written with the next one, and losing it costs a lease at most. */
  private Outcome heartbeat(List<String> leaseIds, Moment now) {
    Set<String> alive = new LinkedHashSet<>();
    for (String id : leaseIds) {
      Entry entry = state.leased(id);
      if (entry != null && entry.standing() instanceof Leased lease) {
        state.put(
            entry.with(
                new Leased(
                    id, lease.worker(), now.after(rules.lease()), false, lease.runAgainAt())));
        alive.add(id);
      }
    }
    return new Outcome(new Reply.Alive(alive), false);
  }

  private Outcome list(Moment now) {
    List<Task> tasks = state.all().stream().map(entry -> entry.task(now)).toList();
    return new Outcome(new Reply.Listed(tasks), false);
  }

  private Outcome retry(String key, Moment now) {
    Entry entry = state.get(key);
    if (entry == null || entry.standing() instanceof Leased) {
      return new Outcome(new Reply.Retried(false), false);
    }
    state.put(entry.withCounts(0, 0, null).with(new Waiting(now.nanos())));
    return new Outcome(new Reply.Retried(true), true);
  }

  private Outcome release(List<String> leaseIds, Moment now) {
    boolean changed = false;
    for (String id : leaseIds) {
      Entry entry = state.leased(id);
      if (entry != null) {
        state.put(entry.with(new Waiting(now.nanos())));
        changed = true;
      }
    }
    return new Outcome(new Reply.Settled(changed), changed);
  }

  /** The tasks as the file holds them, by key. */
  public List<StoredTask> stored(Moment now) {
    return state.all().stream().map(entry -> entry.stored(now)).toList();
  }

  /** How long until a waiting task that can't run at {@code now} may run, if there is one. */
  public Optional<Duration> nextRun(Moment now) {
    @Nullable Long next = state.nextRunAfter(now.nanos());
    return next == null ? Optional.empty() : Optional.of(now.until(next));
  }

  public QueueCounts counts(Moment now) {
    Map<QueueCounts.Key, Integer> tasks = new HashMap<>();
    int failing = 0;
    for (Entry entry : state.all()) {
      tasks.merge(new QueueCounts.Key(entry.kind(), entry.task(now).state()), 1, Integer::sum);
      failing += entry.failures() > 0 ? 1 : 0;
    }
    Long first = state.firstRunAt();
    Duration oldest =
        first == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, now.nanos() - first));
    return new QueueCounts(tasks, oldest, state.leases(), failing, state.bytes());
  }
}
