package io.wings.ingestor.lane;

import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.Position;
import io.wings.common.wal.EncodedBatch;
import io.wings.common.wal.EpochRecord;
import io.wings.common.wal.Operation;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.ProducerState;
import io.wings.common.wal.RejectedEntry;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A lane's user: charges what it submits, and is told what became of it. */
final class Session implements LaneSession {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  private final Lane lane;
  private final LaneListener listener;
  private final ByteBudget.Account account;
  private final Runnable onClose;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private long outstanding;
  private boolean closed;

  Session(Lane lane, LaneListener listener, ByteBudget.Account account, Runnable onClose) {
    this.lane = lane;
    this.listener = listener;
    this.account = account;
    this.onClose = onClose;
  }

  @Override
  public LaneId lane() {
    return lane.id();
  }

  @Override
  public void submit(
      ProducerKey producer,
      long epoch,
      long sequence,
      @Nullable String token,
      Operation operation,
      EncodedBatch batch)
      throws InterruptedException {
    add(new Pending.Batch(this, producer, epoch, sequence, token, operation, batch));
  }

  @Override
  public void reject(ProducerKey producer, long epoch, long sequence, String reason)
      throws InterruptedException {
    add(
        new Pending.Rejection(
            this, new RejectedEntry(producer, epoch, sequence, storable(reason))));
  }

  /** Short enough, and without what UTF-8 can't hold. */
  private static String storable(String reason) {
    String cut =
        reason.length() <= RejectedEntry.MAX_REASON_CHARS
            ? reason
            : reason.substring(0, RejectedEntry.MAX_REASON_CHARS);
    return new String(cut.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  @Override
  public Optional<LaneResult> ask(ProducerKey producer, long epoch, long sequence)
      throws InterruptedException {
    Answer<Optional<LaneResult>> answer = new Answer<>();
    add(new Pending.Question(this, producer, epoch, sequence, answer));
    return answer.await();
  }

  @Override
  public Optional<ProducerState> recall(ProducerKey producer) throws InterruptedException {
    Answer<Optional<ProducerState>> answer = new Answer<>();
    add(new Pending.Recall(this, producer, answer));
    return answer.await();
  }

  @Override
  public ProducerOpened openProducer(ProducerKey producer) throws InterruptedException {
    Answer<ProducerOpened> answer = new Answer<>();
    add(new Pending.Opening(this, new EpochRecord(producer), answer));
    return answer.await();
  }

  @Override
  public long head() {
    return lane.provenHead();
  }

  @Override
  public Position flush() throws InterruptedException {
    Answer<Position> answer = new Answer<>();
    add(new Pending.Flush(this, answer));
    return answer.await();
  }

  private void add(Pending item) throws InterruptedException {
    lane.checkRunning();
    account.acquire(item.bufferBytes());
    boolean added = false;
    lock.lock();
    try {
      if (closed) {
        throw Errors.closed();
      }
      lane.add(item);
      outstanding++;
      added = true;
    } finally {
      lock.unlock();
      if (!added) {
        account.release(item.bufferBytes());
      }
    }
  }

  @Override
  public void drain() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (outstanding > 0) {
        idle.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tells a result, unless the session is closed. */
  void tell(LaneResult result) {
    if (isClosed()) {
      return;
    }
    try {
      listener.decided(result);
    } catch (RuntimeException e) {
      LOG.error("a listener of lane {} failed on {}", lane.id(), result, e);
    }
  }

  /** Tells that the lane is contended for, unless the session is closed. */
  void contended() {
    if (!isClosed()) {
      listener.contended();
    }
  }

  /**
   * Frees what decided items held. Whether anyone reads the results is of no account.
   *
   * @param items how many
   * @param bytes of all of them
   */
  void free(long items, long bytes) {
    account.release(bytes);
    lock.lock();
    try {
      outstanding -= items;
      if (outstanding == 0) {
        idle.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      lock.unlock();
    }
    lane.leave(this);
    account.close();
    onClose.run();
  }
}
