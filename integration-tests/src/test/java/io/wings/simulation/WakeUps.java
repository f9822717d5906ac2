package io.wings.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * No task is lost: after every schedule that was confirmed, its task is begun, or was after the
 * call began.
 */
final class WakeUps {
  private final Map<String, Long> lastScheduled = new HashMap<>();
  private final Map<String, Long> lastBegun = new HashMap<>();

  /** A confirmed call that began at {@code asked}. */
  void scheduled(String key, long asked) {
    long _ = lastScheduled.merge(key, asked, Math::max);
  }

  void begun(String key, long at) {
    long _ = lastBegun.merge(key, at, Math::max);
  }

  /** A task that was scheduled and not begun since. */
  Optional<String> outstanding() {
    return lost(Set.of());
  }

  /** The same, of tasks that aren't among {@code known}, so that it never will be. */
  Optional<String> lost(Set<String> known) {
    return lastScheduled.entrySet().stream()
        .filter(task -> lastBegun.getOrDefault(task.getKey(), -1L) < task.getValue())
        .map(Map.Entry::getKey)
        .filter(task -> !known.contains(task))
        .findFirst();
  }
}
