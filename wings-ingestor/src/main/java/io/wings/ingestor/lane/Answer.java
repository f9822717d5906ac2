package io.wings.ingestor.lane;

import io.wings.common.error.WingsException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A value, or an error, that one thread waits for and another gives. */
final class Answer<T> {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition given = lock.newCondition();
  private @Nullable T value;
  private @Nullable WingsException error;

  void give(T answer) {
    lock.lock();
    try {
      value = answer;
      given.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void fail(WingsException cause) {
    lock.lock();
    try {
      error = cause;
      given.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits; throws a fresh exception of the error's kind, with the waiting thread's stack. */
  T await() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        T answer = value;
        if (answer != null) {
          return answer;
        }
        WingsException cause = error;
        if (cause != null) {
          throw Errors.again(cause);
        }
        given.await();
      }
    } finally {
      lock.unlock();
    }
  }
}
