package io.wings.cli.demo;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/** Durations of one kind, all of them kept. */
final class Latencies {
  private final ReentrantLock lock = new ReentrantLock();
  private long[] nanos = new long[1024];
  private int count;

  /** Milliseconds; all 0 when nothing was measured. */
  record Summary(
      @JsonProperty("p50") double p50,
      @JsonProperty("p99") double p99,
      @JsonProperty("max") double max) {}

  void add(long durationNanos) {
    lock.lock();
    try {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, count * 2);
      }
      nanos[count++] = durationNanos;
    } finally {
      lock.unlock();
    }
  }

  Summary summary() {
    lock.lock();
    try {
      long[] sorted = Arrays.copyOf(nanos, count);
      Arrays.sort(sorted);
      return new Summary(at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1));
    } finally {
      lock.unlock();
    }
  }

  private static double at(long[] sorted, double quantile) {
    if (sorted.length == 0) {
      return 0;
    }
    int index = (int) Math.ceil(quantile * sorted.length) - 1;
    return Math.round(sorted[Math.max(index, 0)] / 1e5) / 10.0;
  }
}
