package io.wings.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

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
    return lastScheduled.entrySet().stream()
        .filter(task -> lastBegun.getOrDefault(task.getKey(), -1L) < task.getValue())
        .map(Map.Entry::getKey)
        .findFirst();
  }
}
