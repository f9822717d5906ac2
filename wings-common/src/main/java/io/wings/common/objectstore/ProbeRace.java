package io.wings.common.objectstore;

import io.wings.common.concurrent.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Puts of one key that are sent at once, each from a thread of its own. */
final class ProbeRace {
  private ProbeRace() {}

  /** One contender's content and how its put ended. */
  @SuppressWarnings("ArrayRecordComponent")
  record Finish(byte[] content, PutOutcome outcome) {}

  /** Runs a race; a contender's {@link StoreException} is thrown once all have finished. */
  static List<Finish> run(
      ObjectStore store,
      String key,
      PutCondition condition,
      List<byte[]> contents,
      Threads threads) {
    CountDownLatch start = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(contents.size());
    AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    List<AtomicReference<PutOutcome>> outcomes = new ArrayList<>();
    for (byte[] content : contents) {
      AtomicReference<PutOutcome> outcome =
          new AtomicReference<>(new PutOutcome.Unknown("not finished"));
      outcomes.add(outcome);
      threads.start(
          "store-probe",
          () -> {
            try {
              start.await();
              outcome.set(store.put(key, Body.of(content), condition));
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
              failure.compareAndSet(null, e);
            } finally {
              end.countDown();
            }
          });
    }
    start.countDown();
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted", true, e);
    }
    RuntimeException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    List<Finish> finishes = new ArrayList<>();
    for (int i = 0; i < contents.size(); i++) {
      finishes.add(new Finish(contents.get(i), outcomes.get(i).get()));
    }
    return finishes;
  }
}
