package io.wings.worker.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.queue.Task;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LeaseLoopTest {
  private static final LeaseSettings SETTINGS =
      new LeaseSettings(
          "w",
          2,
          Duration.ofSeconds(1),
          Duration.ofMillis(20),
          Duration.ofMillis(5),
          Duration.ofMillis(200));

  private final ScriptedQueue queue = new ScriptedQueue();
  private LeaseLoop loop = loop(Map.of());

  private LeaseLoop loop(Map<String, TaskHandler> handlers) {
    return new LeaseLoop(
        queue, handlers, SETTINGS, new NotingObserver(queue), Time.system(), Threads.virtual());
  }

  private void start(Map<String, TaskHandler> handlers) {
    loop = loop(handlers);
    loop.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    loop.stop();
  }

  @Test
  void acknowledgesWhatSucceeded() throws InterruptedException {
    start(Map.of("a", _ -> {}));
    queue.offer("a", "1");
    queue.await("acknowledged 1");
    assertTrue(queue.events().contains("succeeded a/1"));
  }

  @Test
  void reportsAFailureWithItsText() throws InterruptedException {
    start(
        Map.of(
            "a",
            _ -> {
              throw WingsException.corrupt("segment-missing", "lane has no segment 3");
            }));
    queue.offer("a", "1");
    queue.await("failed 1 segment-missing: lane has no segment 3");
    assertTrue(queue.events().contains("failed a/1 segment-missing"));
  }

  /** Its message may hold a tenant's data. */
  @Test
  void ofAForeignExceptionOnlyTheKindIsTold() throws InterruptedException {
    start(
        Map.of(
            "a",
            _ -> {
              throw new IllegalStateException("row 7: jane@example.com");
            }));
    queue.offer("a", "1");
    queue.await("failed 1 internal: IllegalStateException");
  }

  @Test
  void runsAtMostAsManyTasksAsThereAreSlots() throws InterruptedException {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch go = new CountDownLatch(1);
    start(
        Map.of(
            "a",
            _ -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              both.countDown();
              go.await();
              running.decrementAndGet();
            }));
    for (int i = 0; i < 10; i++) {
      queue.offer("a", "" + i);
    }
    both.await();
    go.countDown();
    for (int i = 0; i < 10; i++) {
      queue.await("acknowledged " + i);
    }
    assertEquals(2, most.get());
    assertTrue(queue.largestRequest() <= 2);
  }

  @Test
  void heartbeatsForWhatRuns() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    start(Map.of("a", _ -> go.await()));
    queue.offer("a", "1");
    queue.await("heartbeat 1");
    queue.offer("a", "2");
    queue.await("heartbeat 2");
    go.countDown();
    queue.await("acknowledged 1");
    queue.await("acknowledged 2");
  }

  @Test
  void aLostLeaseStopsItsTaskAndIsNotReported() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    start(Map.of("a", _ -> never.await()));
    queue.offer("a", "1");
    queue.await("began a/1");
    queue.lose("1");
    queue.await("abandoned a/1");
    assertFalse(
        queue.events().stream()
            .anyMatch(event -> event.startsWith("acknowledged") || event.startsWith("failed")));
  }

  @Test
  void aBrokerThatIsAwayStopsNothing() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    start(Map.of("a", _ -> go.await()));
    queue.offer("a", "1");
    queue.await("began a/1");
    queue.refuse(5);
    queue.await("refused");
    queue.offer("a", "2");
    queue.await("began a/2");
    go.countDown();
    queue.await("acknowledged 1");
    queue.await("acknowledged 2");
  }

  @Test
  void askedToStopItLetsTasksEnd() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    start(Map.of("a", _ -> go.await()));
    queue.offer("a", "1");
    queue.await("began a/1");
    Thread stopping =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    loop.stop();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    go.countDown();
    queue.await("acknowledged 1");
    stopping.join();
  }

  @Test
  void afterTheGraceTimeTasksAreInterruptedAndHandedBack() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    start(Map.of("a", _ -> never.await()));
    queue.offer("a", "1");
    queue.await("began a/1");
    loop.stop();
    assertTrue(queue.events().contains("abandoned a/1"));
    assertTrue(queue.events().contains("released 1"));
    assertFalse(queue.events().contains("acknowledged 1"));
  }

  @Test
  void theEndOfATaskIsReportedBeforeItHasStopped() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    start(Map.of("a", _ -> go.await()));
    queue.offer("a", "1");
    queue.await("began a/1");
    go.countDown();
    loop.stop();
    assertTrue(queue.events().contains("acknowledged 1"));
    assertFalse(queue.events().contains("released 1"));
  }

  /** Writes what it hears into the queue's events. */
  private record NotingObserver(ScriptedQueue queue) implements LeaseObserver {
    @Override
    public void reached() {}

    @Override
    public void unreachable(String reason) {}

    @Override
    public void began(Task task) {
      queue.note("began " + task.key());
    }

    @Override
    public void succeeded(Task task, Duration took) {
      queue.note("succeeded " + task.key());
    }

    @Override
    public void failed(Task task, String code, Duration took) {
      queue.note("failed " + task.key() + " " + code);
    }

    @Override
    public void abandoned(Task task, Duration took) {
      queue.note("abandoned " + task.key());
    }
  }
}
