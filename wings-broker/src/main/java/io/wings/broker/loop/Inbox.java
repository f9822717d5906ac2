package io.wings.broker.loop;

import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Calls that wait for the loop, bounded; open during one epoch at a time. Safe for use by several
 * threads.
 */
final class Inbox {
  /** Calls that wait or are under way. */
  static final int MAX_CALLS = 10_000;

  private static final long CLOSED = 0;

  private final Time time;
  private final Strays strays;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final List<Call> calls = new ArrayList<>();
  private long epoch = CLOSED;
  private int underWay;
  private boolean woken;

  /**
   * @param strays hears of calls for another epoch
   */
  Inbox(Time time, Strays strays) {
    this.time = time;
    this.strays = strays;
  }

  /** Takes calls of {@code epoch} from now on. */
  void open(long epoch) {
    lock.lock();
    try {
      this.epoch = epoch;
      this.underWay = 0;
    } finally {
      lock.unlock();
    }
  }

  /** Takes none from now on; returns those that nobody has drained. */
  List<Call> close() {
    lock.lock();
    try {
      epoch = CLOSED;
      List<Call> rest = List.copyOf(calls);
      calls.clear();
      return rest;
    } finally {
      lock.unlock();
    }
  }

  /** Answers at once when the call can't be taken. */
  void add(long callEpoch, Call call) {
    Answer refusal;
    lock.lock();
    try {
      if (epoch == CLOSED || callEpoch != epoch) {
        strays.note(callEpoch, time.nanos());
        refusal = new Answer.LookAgain();
      } else if (underWay >= MAX_CALLS) {
        refusal = new Answer.Busy();
      } else {
        underWay++;
        calls.add(call);
        arrived.signal();
        return;
      }
    } finally {
      lock.unlock();
    }
    call.answer(refusal);
  }

  /** So many drained calls have ended. */
  void ended(int count) {
    lock.lock();
    try {
      underWay -= count;
    } finally {
      lock.unlock();
    }
  }

  /** Makes the loop go round now, calls or none. */
  void wake() {
    lock.lock();
    try {
      woken = true;
      arrived.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Waits, or until {@link #wake}. */
  void pause(Duration timeout) throws InterruptedException {
    long start = time.nanos();
    lock.lock();
    try {
      while (!woken) {
        Duration left = timeout.minus(time.since(start));
        if (!left.isPositive() || !time.await(lock, arrived, left)) {
          break;
        }
      }
      woken = false;
    } finally {
      lock.unlock();
    }
  }

  /** All calls that have arrived, waiting up to {@code timeout} for the first. */
  List<Call> drain(Duration timeout) throws InterruptedException {
    long start = time.nanos();
    lock.lock();
    try {
      while (calls.isEmpty() && !woken) {
        Duration left = timeout.minus(time.since(start));
        if (!left.isPositive() || !time.await(lock, arrived, left)) {
          break;
        }
      }
      woken = false;
      List<Call> drained = List.copyOf(calls);
      calls.clear();
      return drained;
    } finally {
      lock.unlock();
    }
  }
}
