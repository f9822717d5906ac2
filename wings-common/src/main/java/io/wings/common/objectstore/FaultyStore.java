package io.wings.common.objectstore;

import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A store that fails as {@link Faults} says, over any other: for tests, of a class as of whole
 * processes.
 */
public final class FaultyStore extends ForwardingStore {
  /** Puts that may wait to land at once; beyond it, one lands at once. */
  private static final int MAX_PENDING = 1_000;

  private final Faults faults;
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Pending> pending = new ArrayList<>();
  private long calls;

  private record Pending(long landsAtCall, String key, Body body, PutCondition condition) {}

  public FaultyStore(ObjectStore store, Faults faults, Time time) {
    super(store);
    this.faults = faults;
    this.time = time;
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    landDue();
    return switch (faults.onPut(key, condition)) {
      case Fault.None() -> super.put(key, body, condition);
      case Fault.FailBefore() -> new PutOutcome.Unknown("injected: failed before");
      case Fault.FailAfter() -> {
        super.put(key, body, condition);
        yield new PutOutcome.Unknown("injected: failed after");
      }
      case Fault.LandsLater(int later) -> {
        delay(later, key, body, condition);
        yield new PutOutcome.Unknown("injected: lands later");
      }
      case Fault.Throttled() -> new PutOutcome.Unknown("injected: 503");
      case Fault.NoSpace() -> throw new StoreException("injected: no space left", true, null);
      case Fault.Slow(Duration delay) -> {
        pause(delay);
        yield super.put(key, body, condition);
      }
    };
  }

  /** Lets every put that waits land now, oldest first. */
  public void landAll() {
    land(Long.MAX_VALUE);
  }

  private void delay(int later, String key, Body body, PutCondition condition) {
    // The caller may change its buffers once put has returned.
    Body copy = Body.of(body.toBytes());
    lock.lock();
    try {
      if (pending.size() >= MAX_PENDING) {
        Pending oldest = pending.removeFirst();
        super.put(oldest.key(), oldest.body(), oldest.condition());
      }
      pending.add(new Pending(calls + later, key, copy, condition));
    } finally {
      lock.unlock();
    }
  }

  private void landDue() {
    lock.lock();
    try {
      calls++;
      if (!pending.isEmpty()) {
        land(calls);
      }
    } finally {
      lock.unlock();
    }
  }

  private void land(long call) {
    lock.lock();
    try {
      for (Iterator<Pending> each = pending.iterator(); each.hasNext(); ) {
        Pending put = each.next();
        if (put.landsAtCall() <= call) {
          each.remove();
          super.put(put.key(), put.body(), put.condition());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void other(String key) {
    landDue();
    switch (faults.onOther(key)) {
      case Fault.None(), Fault.NoSpace() -> {}
      case Fault.FailBefore(), Fault.FailAfter(), Fault.LandsLater(_), Fault.Throttled() ->
          throw new StoreException("injected: failed call on " + key, true, null);
      case Fault.Slow(Duration delay) -> pause(delay);
    }
  }

  private void pause(Duration delay) {
    try {
      time.sleep(delay);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted", true, e);
    }
  }

  @Override
  public Optional<StoredObject> get(String key) {
    other(key);
    return super.get(key);
  }

  @Override
  public Optional<StoredObject> getRange(String key, long offset, int length) {
    other(key);
    return super.getRange(key, offset, length);
  }

  @Override
  public Optional<ObjectHead> head(String key) {
    other(key);
    return super.head(key);
  }

  @Override
  public Iterator<ObjectHead> list(String prefix, String startAfter) {
    other(prefix);
    return super.list(prefix, startAfter);
  }

  @Override
  public void delete(String key) {
    other(key);
    super.delete(key);
  }
}
