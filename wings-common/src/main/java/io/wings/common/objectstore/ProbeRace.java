package io.wings.common.objectstore;

import io.wings.common.concurrent.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Puts of one key that are sent at once, each from a thread of its own. Runs once. */
final class ProbeRace {
  private final ObjectStore store;
  private final String key;
  private final PutCondition condition;
  private final List<Contender> contenders;
  private final CountDownLatch start = new CountDownLatch(1);
  private final CountDownLatch end;
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

  ProbeRace(ObjectStore store, String key, PutCondition condition, List<byte[]> contents) {
    this.store = store;
    this.key = key;
    this.condition = condition;
    this.contenders = contents.stream().map(Contender::new).toList();
    this.end = new CountDownLatch(contents.size());
  }

  /** One contender's content and how its put ended. */
  @SuppressWarnings("ArrayRecordComponent")
  record Finish(byte[] content, PutOutcome outcome) {}

  private static final class Contender {
    private final byte[] content;
    private volatile PutOutcome outcome = new PutOutcome.Unknown("not finished");

    Contender(byte[] content) {
      this.content = content;
    }
  }

  /**
   * Runs the race, however long it takes; a contender's {@link StoreException} is thrown once all
   * have finished. Interrupted, it interrupts those that haven't.
   */
  List<Finish> run(Threads threads) {
    List<Thread> running = new ArrayList<>();
    for (Contender contender : contenders) {
      running.add(threads.start("store-probe-race", () -> put(contender)));
    }
    start.countDown();
    try {
      end.await();
    } catch (InterruptedException e) {
      running.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted", true, e);
    }
    RuntimeException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    return contenders.stream().map(each -> new Finish(each.content, each.outcome)).toList();
  }

  private void put(Contender contender) {
    try {
      start.await();
      contender.outcome = store.put(key, Body.of(contender.content), condition);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    } finally {
      end.countDown();
    }
  }

  /** How many puts have ended so far. */
  long finished() {
    return contenders.size() - end.getCount();
  }
}
