package io.wings.ingestor.lane;

import io.wings.common.cluster.LaneId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The open lanes of a process. Each runs on a thread of its own; a lane is opened by its first
 * session and closed when it has had none for a while.
 */
public final class Lanes implements AutoCloseable {
  private final LaneContext context;
  private final ByteBudget budget;
  private final MaterializeNotices notices;
  private final LaneRegistry registry = new Registry();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<LaneId, Entry> lanes = new LinkedHashMap<>();
  private @Nullable Thread noticeThread;
  private boolean closing;

  /** A lane, its thread, and how many sessions it has. */
  private static final class Entry {
    private final Lane lane;
    private final Thread thread;
    private int sessions;

    private Entry(Lane lane, Thread thread) {
      this.lane = lane;
      this.thread = thread;
    }
  }

  public Lanes(
      ObjectStore store,
      LaneSettings settings,
      MaterializeScheduler scheduler,
      LaneObserver observer,
      Time time,
      Ids ids,
      Threads threads) {
    this(new LaneContext(store, settings, observer, time, ids, threads, Backoff.STORE), scheduler);
  }

  Lanes(LaneContext context, MaterializeScheduler scheduler) {
    this.context = context;
    LaneSettings settings = context.settings();
    this.budget =
        new ByteBudget(
            settings.processBufferBytes(),
            settings.tenantBufferBytes(),
            settings.sessionBufferBytes());
    this.notices = new MaterializeNotices(scheduler);
  }

  /**
   * Opens the lane, unless it is open, and a session on it.
   *
   * @param watermark the last known one, 0 when none is; the head is at or above it
   * @param listener of this session's results
   * @throws WingsException CORRUPT {@code boundary-missing} or another contradiction in the log,
   *     FENCED {@code lane-closed}, UNAVAILABLE {@code too-many-lanes}, {@code ingestor-closing} or
   *     {@code retries-exhausted}
   */
  public LaneSession open(LaneId id, long watermark, LaneListener listener)
      throws InterruptedException {
    Entry entry = use(id, watermark);
    ByteBudget.Account account = budget.open(id.table().catalog());
    Session session = new Session(entry.lane, listener, account, () -> leave(entry));
    boolean open = false;
    try {
      entry.lane.awaitOpen();
      entry.lane.join(session);
      open = true;
      return session;
    } finally {
      if (!open) {
        session.close();
      }
    }
  }

  private Entry use(LaneId id, long watermark) {
    lock.lock();
    try {
      if (closing) {
        throw Errors.closing();
      }
      Entry entry = lanes.get(id);
      if (entry == null) {
        if (lanes.size() >= context.settings().maxLanes()) {
          throw WingsException.unavailable(
              "too-many-lanes",
              "this ingestor has %d lanes open, its limit; try again later".formatted(lanes.size()),
              null);
        }
        if (noticeThread == null) {
          noticeThread = context.threads().start("materialize-notices", notices::run);
        }
        Lane lane = new Lane(id, watermark, context, registry);
        entry = new Entry(lane, context.threads().start("lane-" + id, lane::run));
        lanes.put(id, entry);
      }
      entry.sessions++;
      return entry;
    } finally {
      lock.unlock();
    }
  }

  private void leave(Entry entry) {
    lock.lock();
    try {
      entry.sessions--;
    } finally {
      lock.unlock();
    }
  }

  /** Lanes open now. */
  public int size() {
    lock.lock();
    try {
      return lanes.size();
    } finally {
      lock.unlock();
    }
  }

  /** Bytes that sessions hold in the buffer. */
  public long bufferedBytes() {
    return budget.used();
  }

  /**
   * Takes no more sessions, writes what waits for at most {@code grace}, and stops every lane; what
   * is not decided then ends undecided.
   */
  public void close(Duration grace) throws InterruptedException {
    long began = context.time().nanos();
    beginClosing().forEach(entry -> entry.lane.finish());
    lock.lockInterruptibly();
    try {
      Duration left = grace;
      while (!lanes.isEmpty() && left.isPositive()) {
        context.time().await(lock, changed, left);
        left = grace.minus(context.time().since(began));
      }
    } finally {
      lock.unlock();
    }
    close();
  }

  /** Stops every lane at once; what is not decided ends undecided. */
  @Override
  public void close() {
    beginClosing().forEach(entry -> entry.thread.interrupt());
    notices.stop();
  }

  private List<Entry> beginClosing() {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
      return new ArrayList<>(lanes.values());
    } finally {
      lock.unlock();
    }
  }

  private final class Registry implements LaneRegistry {
    @Override
    public boolean isOver(Lane lane, List<Pending> work) {
      if (!work.isEmpty()) {
        return false;
      }
      lock.lock();
      try {
        Entry entry = lanes.get(lane.id());
        if (entry == null || entry.lane != lane) {
          return true;
        }
        if (!closing && (entry.sessions > 0 || !lane.isIdle())) {
          return false;
        }
        lanes.remove(lane.id());
        changed.signalAll();
        return true;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void remove(Lane lane) {
      lock.lock();
      try {
        Entry entry = lanes.get(lane.id());
        if (entry != null && entry.lane == lane) {
          lanes.remove(lane.id());
        }
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void durable(LaneId lane, long head) {
      notices.durable(lane, head);
    }
  }
}
