package io.wings.worker.materialize;

import io.wings.worker.engine.DataEngine;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;

/** A worker's data engines, each opened on first use and lent to one pass at a time. */
public final class Engines implements WriterPool, AutoCloseable {
  private final int limit;
  private final IntFunction<DataEngine> opener;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition returned = lock.newCondition();
  private final Deque<DataEngine> free = new ArrayDeque<>();
  private final List<DataEngine> open = new ArrayList<>();

  /**
   * @param limit engines at once
   * @param opener opens the engine of a number from 0
   */
  public Engines(int limit, IntFunction<DataEngine> opener) {
    this.limit = limit;
    this.opener = opener;
  }

  @Override
  public void lend(Work work) throws InterruptedException {
    DataEngine engine = take();
    try {
      work.with(engine::append);
    } finally {
      giveBack(engine);
    }
  }

  private DataEngine take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (free.isEmpty() && open.size() >= limit) {
        returned.await();
      }
      if (!free.isEmpty()) {
        return free.pop();
      }
      DataEngine engine = opener.apply(open.size());
      open.add(engine);
      return engine;
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(DataEngine engine) {
    lock.lock();
    try {
      free.push(engine);
      returned.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Closes all; none is lent any more. */
  @Override
  public void close() {
    lock.lock();
    try {
      open.forEach(DataEngine::close);
      open.clear();
      free.clear();
    } finally {
      lock.unlock();
    }
  }
}
