package io.wings.broker.core;

import io.wings.broker.core.Entry.Leased;
import io.wings.broker.core.Entry.Waiting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The tasks, with the indexes that the machine looks them up by. Confined to one thread.
 *
 * <p>Invariant: every index is exactly what the entries say, after each call.
 */
final class QueueState {
  /** A waiting task's place in the order of running: the one that may run longest comes first. */
  private record Turn(long runAt, String key) {}

  private static final Comparator<Turn> ORDER =
      Comparator.comparingLong(Turn::runAt).thenComparing(Turn::key);

  private final TreeMap<String, Entry> byKey = new TreeMap<>();
  private final NavigableSet<Turn> turns = new TreeSet<>(ORDER);
  private final Map<String, String> keyByLease = new HashMap<>();
  private final Set<String> leasedGroups = new HashSet<>();
  private final Map<String, Long> sizes = new HashMap<>();
  private final Map<String, Long> bytesByCatalog = new HashMap<>();
  private long bytes;

  @Nullable Entry get(String key) {
    return byKey.get(key);
  }

  /** The entry that a lease holds. */
  @Nullable Entry leased(String leaseId) {
    String key = keyByLease.get(leaseId);
    return key == null ? null : byKey.get(key);
  }

  /** Adds the entry, in the place of the one with its key. */
  void put(Entry entry) {
    remove(entry.key());
    byKey.put(entry.key(), entry);
    switch (entry.standing()) {
      case Waiting(long runAt) -> turns.add(new Turn(runAt, entry.key()));
      case Leased lease -> {
        if (entry.group() != null && !leasedGroups.add(entry.group())) {
          throw new IllegalStateException("two leases in the group " + entry.group());
        }
        if (keyByLease.put(lease.id(), entry.key()) != null) {
          throw new IllegalStateException("two tasks have the lease " + lease.id());
        }
      }
      case Entry.Parked _ -> {}
    }
    long size = entry.size();
    sizes.put(entry.key(), size);
    bytes += size;
    bytesByCatalog.merge(entry.catalog(), size, Long::sum);
  }

  void remove(String key) {
    Entry entry = byKey.remove(key);
    if (entry == null) {
      return;
    }
    switch (entry.standing()) {
      case Waiting(long runAt) -> turns.remove(new Turn(runAt, key));
      case Leased lease -> {
        keyByLease.remove(lease.id());
        if (entry.group() != null) {
          leasedGroups.remove(entry.group());
        }
      }
      case Entry.Parked _ -> {}
    }
    long size = Objects.requireNonNull(sizes.remove(key));
    bytes -= size;
    bytesByCatalog.computeIfPresent(
        entry.catalog(), (_, held) -> held == size ? null : Long.valueOf(held - size));
  }

  /** Every entry, by key. */
  Collection<Entry> all() {
    return Collections.unmodifiableCollection(byKey.values());
  }

  /** Up to {@code max} entries of {@code kinds} that may be leased at {@code now}, in turn. */
  List<Entry> runnable(Set<String> kinds, int max, long now) {
    List<Entry> chosen = new ArrayList<>();
    Set<String> groups = new HashSet<>();
    for (Turn turn : turns) {
      if (chosen.size() >= max || turn.runAt() > now) {
        break;
      }
      Entry entry = byKey.get(turn.key());
      if (entry == null) {
        throw new IllegalStateException("a turn without its task " + turn.key());
      }
      if (!kinds.contains(entry.kind())) {
        continue;
      }
      String group = entry.group();
      if (group == null || (!leasedGroups.contains(group) && groups.add(group))) {
        chosen.add(entry);
      }
    }
    return chosen;
  }

  /** Leases whose deadline has come, by key. */
  List<Entry> expired(long now) {
    List<Entry> expired = new ArrayList<>();
    for (String key : new TreeSet<>(keyByLease.values())) {
      Entry entry = byKey.get(key);
      if (entry != null && entry.standing() instanceof Leased lease && lease.deadline() <= now) {
        expired.add(entry);
      }
    }
    return expired;
  }

  /** When the next waiting task after {@code now} may run, or null. */
  @Nullable Long nextRunAfter(long now) {
    Turn next = turns.higher(new Turn(now, "\uffff"));
    return next == null ? null : next.runAt();
  }

  /** When the longest runnable task could have run, or null when none waits. */
  @Nullable Long firstRunAt() {
    return turns.isEmpty() ? null : turns.first().runAt();
  }

  int leases() {
    return keyByLease.size();
  }

  /** An upper bound of what the tasks take in the file, in bytes. */
  long bytes() {
    return bytes;
  }

  /** The same of one catalog's tasks. */
  long bytes(String catalog) {
    return bytesByCatalog.getOrDefault(catalog, 0L);
  }
}
