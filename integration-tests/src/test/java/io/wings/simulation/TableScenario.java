package io.wings.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * What one seed plays on the table's side: drawn from it by a generator of its own.
 *
 * @param engines that others have on the table, at once
 * @param acts what each of them does to it
 * @param pause mean time between two of its acts
 * @param maxSnapshots of the table: beyond them the commits of Wings expire
 * @param served whether the catalog is a server that applies updates to what is there now, if their
 *     requirements hold, as REST catalogs do; else commits replace the whole of what they were made
 *     on
 * @param addsColumns whether the table takes the columns that streams bring
 * @param orphanGrace how long a ledger is left alone: in half the seeds for less than a lease, so
 *     that a pass which pauses finds its ledger closed while the table still is as it was
 * @param leftovers whether the run goes on until what no snapshot reaches should be gone
 */
record TableScenario(
    int engines,
    Set<Foreign.Act> acts,
    Duration pause,
    int maxSnapshots,
    boolean served,
    boolean addsColumns,
    Duration orphanGrace,
    boolean leftovers) {
  /** Longer than a pass takes. */
  private static final Duration LONG_GRACE = Duration.ofSeconds(20);

  TableScenario {
    acts = Set.copyOf(acts);
  }

  static TableScenario of(long seed) {
    Random random = new Random(seed * 0xD1342543DE82EF95L + 29);
    Duration orphanGrace = orphanGrace(seed);
    Set<Foreign.Act> acts = acts(random);
    return new TableScenario(
        acts.isEmpty() ? 0 : 3 + random.nextInt(Foreign.MOST_ENGINES - 2),
        acts,
        Duration.ofMillis(50L + random.nextInt(400)),
        random.nextInt(4) == 0 ? 500 : 2 + random.nextInt(10),
        random.nextInt(4) == 0,
        random.nextInt(3) == 0,
        orphanGrace,
        // A pass whose ledger is closed while it stages a commit leaves a manifest and its list.
        random.nextInt(4) == 0 && orphanGrace.equals(LONG_GRACE));
  }

  /** Without another engine, and with the columns that are there. */
  TableScenario alone() {
    return new TableScenario(
        0, Set.of(), pause, maxSnapshots, served, false, orphanGrace, leftovers);
  }

  /** With expiry by every commit, and until what no snapshot reaches is gone. */
  TableScenario tidied() {
    return new TableScenario(engines, acts, pause, 2, served, addsColumns, LONG_GRACE, true);
  }

  /**
   * With expiry by every commit, and a grace time that is over before a worker that sleeps has lost
   * its lease.
   */
  TableScenario hasty() {
    return new TableScenario(
        engines, acts, pause, 2, served, addsColumns, Duration.ofSeconds(3), leftovers);
  }

  private static Duration orphanGrace(long seed) {
    Random random = new Random(seed * 0x9FB21C651E98DF25L + 31);
    return random.nextBoolean() ? LONG_GRACE : Duration.ofSeconds(3L + random.nextInt(6));
  }

  /** None, one with appends beside it, with compaction and expiry too, or all. */
  private static Set<Foreign.Act> acts(Random random) {
    List<Foreign.Act> all = List.of(Foreign.Act.values());
    return switch (random.nextInt(6)) {
      case 0 -> Set.of();
      case 1, 2, 3 -> EnumSet.allOf(Foreign.Act.class);
      case 4 ->
          EnumSet.of(
              Foreign.Act.APPEND,
              Foreign.Act.COMPACT,
              Foreign.Act.EXPIRE,
              all.get(random.nextInt(all.size())));
      default -> EnumSet.of(Foreign.Act.APPEND, all.get(random.nextInt(all.size())));
    };
  }
}
