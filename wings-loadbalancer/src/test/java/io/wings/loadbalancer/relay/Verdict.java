package io.wings.loadbalancer.relay;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a stream has to end with, told from what happened to it: {@code suspect-batch} if and only
 * if three ingestors died with one of its batches, or its schema; an ingestor's own end if and only
 * if the stream was opened again nine times without anything being answered or sent meanwhile.
 */
final class Verdict {
  private final Map<String, Integer> deaths = new HashMap<>();
  private int schemaDeaths;
  private int fruitless;
  private @Nullable String end;

  /** Null while it has to go on. */
  @Nullable String end() {
    return end;
  }

  int deaths(String batch) {
    return deaths.getOrDefault(batch, 0);
  }

  int most() {
    return deaths.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  /** The client sent something, or an ingestor answered. */
  void gotOn() {
    fruitless = 0;
  }

  void opened() {
    schemaDeaths = 0;
  }

  /**
   * An ingestor broke off that had some batches, and the schema, but never said that it is open.
   */
  void died(List<String> had, boolean schema) {
    had.forEach(batch -> deaths.merge(batch, 1, Integer::sum));
    schemaDeaths += schema ? 1 : 0;
    if (schemaDeaths == 3 || had.stream().anyMatch(batch -> deaths(batch) == 3)) {
      end = "suspect-batch";
    } else {
      again("ingestor-lost");
    }
  }

  /** An ingestor ended the stream in order, which isn't over. */
  void again(String code) {
    if (++fruitless == 9) {
      end = code;
    }
  }
}
