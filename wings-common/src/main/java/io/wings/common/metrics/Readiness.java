package io.wings.common.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which parts of a process serve, and why the others don't. One process may run several roles; each
 * reports under its own name. Safe for use by several threads.
 */
public final class Readiness {
  private static final String READY = "";

  private final Map<String, String> parts = new ConcurrentHashMap<>();

  /**
   * {@code part} doesn't serve (yet).
   *
   * @param reason for people, one line
   */
  public void notReady(String part, String reason) {
    parts.put(part, reason.isEmpty() ? "not ready" : reason);
  }

  public void ready(String part) {
    parts.put(part, READY);
  }

  /** Whether at least one part has reported and all that have are ready. */
  public boolean isReady() {
    return !parts.isEmpty() && reasons().isEmpty();
  }

  /** Why it isn't ready, by part. */
  public Map<String, String> reasons() {
    Map<String, String> reasons = new LinkedHashMap<>();
    new TreeMap<>(parts)
        .forEach(
            (part, reason) -> {
              if (!reason.equals(READY)) {
                reasons.put(part, reason);
              }
            });
    return reasons;
  }
}
