package io.wings.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Waits for acknowledged batches to become visible, oldest position first, and measures from the
 * moment each was sent.
 */
final class Visibility {
  private static final Duration ONE_WAIT = Duration.ofSeconds(5);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final PriorityQueue<Batch> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Batch::position));
  private final Latencies latencies = new Latencies();
  private final WingsClient client;
  private final TableName table;
  private final Time time;
  private boolean complete;

  private record Batch(long position, int lane, String incarnation, long sentNanos) {}

  Visibility(WingsClient client, TableName table, Time time) {
    this.client = client;
    this.table = table;
    this.time = time;
  }

  /** A batch was acknowledged at the position that {@code answer} names. */
  void expect(JsonNode answer, long sentNanos) {
    lock.lock();
    try {
      waiting.add(
          new Batch(
              answer.path("position").asLong(),
              answer.path("lane").asInt(),
              answer.path("incarnation").asText(),
              sentNanos));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** No further batch will be expected. */
  void complete() {
    lock.lock();
    try {
      complete = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  Latencies latencies() {
    return latencies;
  }

  /** Runs until everything expected is visible. */
  void follow() throws InterruptedException {
    while (true) {
      Batch oldest = oldest();
      if (oldest == null) {
        return;
      }
      ObjectNode request =
          table
              .into(WingsClient.JSON.createObjectNode())
              .put("incarnation", oldest.incarnation())
              .put("lane", oldest.lane())
              .put("position", oldest.position())
              .put("timeout_ms", ONE_WAIT.toMillis());
      if (visible(request)) {
        reached(oldest);
      }
    }
  }

  private boolean visible(ObjectNode request) {
    try {
      client.action("await-visible", request);
      return true;
    } catch (WingsException e) {
      if (e.code().equals("not-visible-yet")) {
        return false;
      }
      throw e;
    }
  }

  private @Nullable Batch oldest() throws InterruptedException {
    lock.lock();
    try {
      while (waiting.isEmpty() && !complete) {
        changed.await();
      }
      return waiting.peek();
    } finally {
      lock.unlock();
    }
  }

  private void reached(Batch visible) {
    long now = time.nanos();
    List<Batch> done = new ArrayList<>();
    lock.lock();
    try {
      while (!waiting.isEmpty() && waiting.peek().position() <= visible.position()) {
        done.add(waiting.remove());
      }
    } finally {
      lock.unlock();
    }
    done.forEach(batch -> latencies.add(now - batch.sentNanos()));
  }
}
