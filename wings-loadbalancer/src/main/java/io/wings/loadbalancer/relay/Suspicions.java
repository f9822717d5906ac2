package io.wings.loadbalancer.relay;

import java.util.HashSet;
import java.util.Set;

/**
 * Which ingestors may have died of what a stream had sent them. A call that broke off counts at
 * once, so that nothing is sent again too often; it is taken back where its ingestor is seen to
 * have outlived it, and only what is settled is held against the stream.
 */
final class Suspicions<F> {
  /** A batch that was with so many dying ingestors is sent no more. */
  static final int MAX_DEATHS = 3;

  /** From so many on it is sent while no other stream's is. */
  static final int ALONE_DEATHS = MAX_DEATHS - 1;

  private final Kept<F> kept;

  /** Calls that broke off with the whole schema, before their ingestor had said that it is open. */
  private final Set<Integer> schema = new HashSet<>();

  /** Calls of which it isn't known yet what became of their ingestor. */
  private final Set<Integer> open = new HashSet<>();

  Suspicions(Kept<F> kept) {
    this.kept = kept;
  }

  /**
   * A call broke off.
   *
   * @param units so many of the oldest batches were, at least in part, with its ingestor
   * @param withSchema whether it had the schema and never said that it is open
   */
  void brokeOff(int call, int units, boolean withSchema) {
    open.add(call);
    kept.units().stream().limit(units).forEach(unit -> unit.deaths.add(call));
    if (withSchema) {
      schema.add(call);
    }
  }

  /** An ingestor took the schema and lives. */
  void opened() {
    schema.clear();
  }

  /** The ingestor of a call outlived it: only the way to it was broken. */
  void outlived(int call) {
    open.remove(call);
    schema.remove(call);
    kept.units().forEach(unit -> unit.deaths.remove(call));
  }

  /** The ingestor of a call is gone, or wasn't seen again for too long. */
  void gone(int call) {
    open.remove(call);
  }

  /** Whether what is sent next may only be sent while no other stream's is. */
  boolean isAlone() {
    Unit<F> oldest = kept.oldest();
    return schema.size() >= ALONE_DEATHS
        || (oldest != null && oldest.deaths.size() >= ALONE_DEATHS);
  }

  /** Whether something may be sent no more until more is known. */
  boolean isHeld() {
    return most(Set.of()) >= MAX_DEATHS;
  }

  /** Whether something isn't sent again for good. */
  boolean isSettled() {
    return most(open) >= MAX_DEATHS;
  }

  private int most(Set<Integer> without) {
    int most = count(schema, without);
    for (Unit<F> unit : kept.units()) {
      most = Math.max(most, count(unit.deaths, without));
    }
    return most;
  }

  private static int count(Set<Integer> calls, Set<Integer> without) {
    return (int) calls.stream().filter(call -> !without.contains(call)).count();
  }
}
