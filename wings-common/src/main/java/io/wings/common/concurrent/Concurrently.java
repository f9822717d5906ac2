package io.wings.common.concurrent;

import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The same blocking work for each of a few items, several at once. */
public final class Concurrently {
  private final Threads threads;
  private final String name;
  private final int limit;

  /**
   * @param name of the threads, for people
   * @param limit items under way at once
   */
  public Concurrently(Threads threads, String name, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("a limit of " + limit);
    }
    this.threads = threads;
    this.name = name;
    this.limit = limit;
  }

  /**
   * What {@code work} makes of each item, in the items' order. One that fails keeps those from
   * being begun that haven't been; it is thrown once all that were have ended. A single item is
   * worked on by the caller's thread.
   *
   * @throws WingsException UNAVAILABLE {@code interrupted}; the interrupt flag is then set
   */
  public <T, R> List<R> map(List<T> items, Function<T, R> work) {
    if (items.size() <= 1 || limit == 1) {
      return items.stream().map(work).toList();
    }
    Run<T, R> run = new Run<>(items, work, Math.min(limit, items.size()));
    return run.results(threads, name);
  }

  private static final class Run<T, R> {
    private final List<T> items;
    private final Function<T, R> work;
    private final int width;
    private final List<AtomicReference<@Nullable R>> results = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final CountDownLatch ended;

    Run(List<T> items, Function<T, R> work, int width) {
      this.items = List.copyOf(items);
      this.work = work;
      this.width = width;
      this.ended = new CountDownLatch(width);
      for (int i = 0; i < items.size(); i++) {
        results.add(new AtomicReference<>());
      }
    }

    List<R> results(Threads threads, String name) {
      List<Thread> running = new ArrayList<>();
      for (int i = 0; i < width; i++) {
        running.add(threads.start(name, this::work));
      }
      try {
        ended.await();
      } catch (InterruptedException e) {
        running.forEach(Thread::interrupt);
        Thread.currentThread().interrupt();
        throw WingsException.unavailable("interrupted", name + " was told to stop", e);
      }
      switch (failure.get()) {
        case null -> {}
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        case Throwable e -> throw new IllegalStateException(e);
      }
      return results.stream().map(AtomicReference::get).toList();
    }

    private void work() {
      try {
        for (int i = next.getAndIncrement(); i < items.size(); i = next.getAndIncrement()) {
          if (failure.get() != null) {
            return;
          }
          results.get(i).set(work.apply(items.get(i)));
        }
      } catch (RuntimeException | Error e) {
        failure.compareAndSet(null, e);
      } finally {
        ended.countDown();
      }
    }
  }
}
