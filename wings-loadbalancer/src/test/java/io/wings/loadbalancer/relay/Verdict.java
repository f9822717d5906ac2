package io.wings.loadbalancer.relay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a stream has to end with, told from what happened to it: {@code suspect-batch} if and only
 * if three ingestors broke off with one of its batches, or its schema, and none of them was seen
 * alive; an ingestor's own end if and only if the stream was opened again nine times without
 * anything being answered meanwhile.
 */
final class Verdict {
  private final Map<String, Set<Integer>> deaths = new HashMap<>();
  private Set<Integer> schemaDeaths = new HashSet<>();
  private final Set<Integer> unsettled = new HashSet<>();
  private int fruitless;
  private boolean broken;
  private @Nullable String end;

  /** Null while it has to go on. */
  @Nullable String end() {
    return end;
  }

  int deaths(String batch) {
    return deaths.getOrDefault(batch, Set.of()).size();
  }

  int schemaDeaths() {
    return schemaDeaths.size();
  }

  int most() {
    return deaths.values().stream().mapToInt(Set::size).max().orElse(0);
  }

  /** An ingestor answered. */
  void gotOn() {
    fruitless = 0;
  }

  void opened() {
    schemaDeaths = new HashSet<>();
  }

  /**
   * A call broke off with some batches, and the schema, though its ingestor never said that it is
   * open.
   */
  void died(int call, List<String> had, boolean schema) {
    had.forEach(batch -> deaths.computeIfAbsent(batch, _ -> new HashSet<>()).add(call));
    if (schema) {
      schemaDeaths.add(call);
    }
    if (schema || !had.isEmpty()) {
      unsettled.add(call);
    }
    fruitless++;
    broken = true;
    decide();
  }

  /** It is seen what became of an ingestor whose call broke off. */
  void settled(int call, boolean alive) {
    unsettled.remove(call);
    if (alive) {
      deaths.values().forEach(calls -> calls.remove(call));
      schemaDeaths.remove(call);
    }
    decide();
  }

  /** Whether nothing may be sent until more is seen. */
  boolean isHeld() {
    return most() >= 3 || schemaDeaths.size() >= 3;
  }

  private void decide() {
    List<Set<Integer>> all = new ArrayList<>(deaths.values());
    all.add(schemaDeaths);
    if (!broken) {
      return;
    }
    if (all.stream()
        .anyMatch(calls -> calls.stream().filter(c -> !unsettled.contains(c)).count() >= 3)) {
      end = "suspect-batch";
    } else if (!isHeld()) {
      broken = false;
      if (fruitless >= 9) {
        end = "ingestor-lost";
      }
    }
  }

  /** An ingestor ended the stream in order, which isn't over. */
  void again(String code) {
    if (++fruitless == 9) {
      end = code;
    }
  }
}
