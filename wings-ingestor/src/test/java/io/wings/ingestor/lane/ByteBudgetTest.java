package io.wings.ingestor.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ByteBudgetTest {
  private static final CatalogName A = new CatalogName("a");
  private static final CatalogName B = new CatalogName("b");

  private final ByteBudget budget = new ByteBudget(100, 60, 40);

  /** Acquires on another thread. */
  private static final class Asking {
    private final CountDownLatch granted = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;

    private Asking(ByteBudget.Account account, long bytes) {
      thread =
          Threads.virtual()
              .start(
                  "asking",
                  () -> {
                    try {
                      account.acquire(bytes);
                      granted.countDown();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    } finally {
                      ended.countDown();
                    }
                  });
    }

    private boolean isGrantedSoon() throws InterruptedException {
      return granted.await(5, TimeUnit.SECONDS);
    }

    private boolean waits() throws InterruptedException {
      return !granted.await(50, TimeUnit.MILLISECONDS);
    }
  }

  @Test
  void blocksASessionAtItsCapUntilItFrees() throws InterruptedException {
    ByteBudget.Account session = budget.open(A);
    session.acquire(30);
    Asking more = new Asking(session, 20);
    assertTrue(more.waits());
    session.release(30);
    assertTrue(more.isGrantedSoon());
    assertEquals(20, budget.used());
  }

  @Test
  void holdsUpNobodyElseForATenantAtItsCap() throws InterruptedException {
    budget.open(A).acquire(40);
    ByteBudget.Account second = budget.open(A);
    second.acquire(20);
    Asking third = new Asking(budget.open(A), 10);
    assertTrue(third.waits());
    Asking other = new Asking(budget.open(B), 40);
    assertTrue(other.isGrantedSoon());
    second.release(20);
    assertTrue(third.isGrantedSoon());
  }

  @Test
  void blocksAllAtTheProcessCapInOrder() throws InterruptedException {
    ByteBudget.Account first = budget.open(A);
    first.acquire(40);
    budget.open(A).acquire(20);
    budget.open(B).acquire(35);
    Asking large = new Asking(budget.open(B), 20);
    assertTrue(large.waits());
    Asking small = new Asking(budget.open(B), 5);
    assertTrue(small.waits(), "it would fit, but another came first");
    first.release(40);
    assertTrue(large.isGrantedSoon());
    assertTrue(small.isGrantedSoon());
  }

  @Test
  void letsOneThatIsLargerThanTheCapThroughAlone() throws InterruptedException {
    ByteBudget.Account session = budget.open(A);
    session.acquire(500);
    Asking more = new Asking(session, 1);
    assertTrue(more.waits());
    session.release(500);
    assertTrue(more.isGrantedSoon());
  }

  @Test
  void forgetsAWaiterThatIsInterrupted() throws InterruptedException {
    ByteBudget.Account session = budget.open(A);
    session.acquire(40);
    Asking gone = new Asking(session, 10);
    assertTrue(gone.waits());
    gone.thread.interrupt();
    assertTrue(gone.ended.await(5, TimeUnit.SECONDS));
    assertFalse(gone.granted.getCount() == 0);
    session.release(40);
    assertEquals(0, budget.used());
  }
}
