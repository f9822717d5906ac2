package io.wings.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/** What the seeds of one call came to, together. Safe for several threads. */
final class Report {
  private final ReentrantLock lock = new ReentrantLock();
  private final long begun = System.nanoTime();
  private final Map<String, Long> faults = new TreeMap<>();
  private final Map<String, Long> guards = new TreeMap<>();
  private final List<Long> failed = new ArrayList<>();
  private long seeds;
  private long violations;
  private long acks;
  private long rows;
  private long commits;
  private long segments;
  private double virtualSeconds;

  /** One seed, as its line. */
  static Map<String, Object> line(Run.Outcome outcome) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("seed", outcome.seed());
    line.put("hash", "%016x".formatted(outcome.hash()));
    line.put("violations", outcome.violations());
    line.put("acks", outcome.acks());
    line.put("rows", outcome.rows());
    line.put("commits", outcome.commits());
    line.put("segments", outcome.segments());
    line.put("virtual_seconds", outcome.virtual().toMillis() / 1e3);
    line.put("faults", outcome.faults().counts());
    line.put("guards", outcome.guards().counts());
    return line;
  }

  void add(JsonNode line) {
    lock.lock();
    try {
      seeds++;
      int found = line.path("violations").size();
      violations += found;
      if (found > 0) {
        failed.add(line.path("seed").asLong());
      }
      acks += line.path("acks").asLong();
      rows += line.path("rows").asLong();
      commits += line.path("commits").asLong();
      segments += line.path("segments").asLong();
      virtualSeconds += line.path("virtual_seconds").asDouble();
      count(line.path("faults"), faults);
      count(line.path("guards"), guards);
    } finally {
      lock.unlock();
    }
  }

  private static void count(JsonNode counts, Map<String, Long> into) {
    counts
        .properties()
        .forEach(
            count -> {
              long _ = into.merge(count.getKey(), count.getValue().asLong(), Long::sum);
            });
  }

  boolean failed() {
    lock.lock();
    try {
      return violations > 0;
    } finally {
      lock.unlock();
    }
  }

  long seeds() {
    lock.lock();
    try {
      return seeds;
    } finally {
      lock.unlock();
    }
  }

  private double perMinute() {
    return seeds * 60e9 / Math.max(1, System.nanoTime() - begun);
  }

  /** For programs. */
  Map<String, Object> summary() {
    lock.lock();
    try {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("seeds", seeds);
      all.put("violations", violations);
      all.put("failed_seeds", failed);
      all.put("seeds_per_minute", Math.round(perMinute() * 10) / 10.0);
      all.put("acks", acks);
      all.put("rows", rows);
      all.put("commits", commits);
      all.put("segments", segments);
      all.put("virtual_seconds", Math.round(virtualSeconds));
      all.put("faults", faults);
      all.put("guards", guards);
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** For people. */
  String text() {
    lock.lock();
    try {
      return String.format(
          Locale.ROOT,
          "%d seeds, %d violations in seeds %s, %.0f seeds a minute, %d acks, %d rows, %d commits, %.1f hours of virtual time",
          seeds,
          violations,
          failed,
          perMinute(),
          acks,
          rows,
          commits,
          virtualSeconds / 3600);
    } finally {
      lock.unlock();
    }
  }
}
