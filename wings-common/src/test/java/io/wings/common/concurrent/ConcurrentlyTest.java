package io.wings.common.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ConcurrentlyTest {
  private static final int LIMIT = 4;

  private final Concurrently concurrently = new Concurrently(Threads.virtual(), "test", LIMIT);

  private static List<Integer> items(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  /** No item ends before as many as the limit allows have begun. */
  @Test
  void asManyAsTheLimitAllowsAreUnderWayAtOnce() {
    CyclicBarrier met = new CyclicBarrier(LIMIT);
    AtomicInteger running = new AtomicInteger();
    List<Integer> most =
        concurrently.map(
            items(3 * LIMIT),
            _ -> {
              int now = running.incrementAndGet();
              try {
                met.await(1, TimeUnit.MINUTES);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
              running.decrementAndGet();
              return now;
            });
    assertTrue(most.stream().allMatch(now -> now <= LIMIT), most.toString());
  }

  @Test
  void resultsAreInTheOrderOfTheItems() {
    assertEquals(List.of(0, 10, 20, 30, 40, 50, 60), concurrently.map(items(7), item -> item * 10));
    assertEquals(List.of(), concurrently.map(List.of(), item -> item));
  }

  @Test
  void aSingleItemIsWorkedOnByTheCaller() {
    assertSame(
        Thread.currentThread(),
        concurrently.map(List.of(1), _ -> Thread.currentThread()).getFirst());
  }

  @Test
  void aFailureIsThrownAndNothingMoreIsBegun() {
    AtomicInteger begun = new AtomicInteger();
    IllegalStateException thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                concurrently.map(
                    items(1_000),
                    item -> {
                      begun.incrementAndGet();
                      throw new IllegalStateException("item " + item);
                    }));
    assertTrue(String.valueOf(thrown.getMessage()).startsWith("item "));
    assertTrue(begun.get() <= LIMIT, begun + " were begun");
  }

  @Test
  void anInterruptEndsWhatIsUnderWay() throws Exception {
    CountDownLatch begun = new CountDownLatch(LIMIT);
    CountDownLatch stopped = new CountDownLatch(LIMIT);
    AtomicInteger outcome = new AtomicInteger();
    Thread caller =
        Threads.virtual()
            .start(
                "caller",
                () -> {
                  WingsException thrown =
                      assertThrows(
                          WingsException.class,
                          () -> concurrently.map(items(LIMIT), _ -> hang(begun, stopped)));
                  if (thrown.code().equals("interrupted") && Thread.interrupted()) {
                    outcome.set(1);
                  }
                });
    begun.await();
    caller.interrupt();
    stopped.await();
    caller.join();
    assertEquals(1, outcome.get());
  }

  private static boolean hang(CountDownLatch begun, CountDownLatch stopped) {
    begun.countDown();
    try {
      new CountDownLatch(1).await();
      return true;
    } catch (InterruptedException e) {
      stopped.countDown();
      return false;
    }
  }
}
