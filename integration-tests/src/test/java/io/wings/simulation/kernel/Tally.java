package io.wings.simulation.kernel;

import java.util.Map;
import java.util.TreeMap;

/** How often each thing happened in a run, by name. */
public final class Tally {
  private final TreeMap<String, Long> counts = new TreeMap<>();

  public void count(String name) {
    add(name, 1);
  }

  public void add(String name, long times) {
    long _ = counts.merge(name, times, Long::sum);
  }

  public long of(String name) {
    return counts.getOrDefault(name, 0L);
  }

  public void addAll(Tally other) {
    other.counts.forEach(this::add);
  }

  /** In order of the names. */
  public Map<String, Long> counts() {
    return new TreeMap<>(counts);
  }
}
