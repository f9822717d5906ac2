package io.wings.worker.sweep;

import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import io.wings.common.queue.TaskScheduler;
import io.wings.common.queue.TaskSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Schedules what a sweep finds, many tasks in one call. A call is taken as a whole or not at all,
 * and a catalog that has used up its share of the queue has its tasks refused; so after a refusal
 * each catalog's tasks are scheduled by themselves, as many as there is room for.
 */
final class FoundTasks {
  /** Tasks that are scheduled in one call. */
  static final int BATCH = 500;

  private static final String FULL = "queue-full";

  private final TaskScheduler queue;
  private final Map<CatalogName, List<TaskSpec>> found = new LinkedHashMap<>();
  private final Set<CatalogName> full = new HashSet<>();
  private int size;
  private long refused;

  FoundTasks(TaskScheduler queue) {
    this.queue = queue;
  }

  /** Adds one; schedules a batch when there is one. */
  void add(CatalogName catalog, TaskSpec task) {
    if (full.contains(catalog)) {
      refused++;
      return;
    }
    found.computeIfAbsent(catalog, _ -> new ArrayList<>()).add(task);
    size++;
    if (size == BATCH) {
      schedule();
    }
  }

  /** Schedules what there is. */
  void schedule() {
    if (size > 0 && !taken(found.values().stream().flatMap(List::stream).toList())) {
      found.forEach(this::schedule);
    }
    found.clear();
    size = 0;
  }

  /** As many as there is room for: of what is refused, the first half may still be taken. */
  private void schedule(CatalogName catalog, List<TaskSpec> tasks) {
    int from = 0;
    int next = tasks.size();
    while (from < tasks.size()) {
      int to = Math.min(tasks.size(), from + next);
      if (taken(tasks.subList(from, to))) {
        from = to;
      } else if (to - from == 1) {
        full.add(catalog);
        refused += tasks.size() - from;
        return;
      } else {
        next = (to - from) / 2;
      }
    }
  }

  private boolean taken(List<TaskSpec> tasks) {
    try {
      queue.schedule(List.copyOf(tasks));
      return true;
    } catch (WingsException e) {
      if (e.code().equals(FULL)) {
        return false;
      }
      throw e;
    }
  }

  /** Tasks that there was no room for. */
  long refused() {
    return refused;
  }

  /** The catalogs whose tasks those are. */
  Set<CatalogName> full() {
    return full;
  }
}
