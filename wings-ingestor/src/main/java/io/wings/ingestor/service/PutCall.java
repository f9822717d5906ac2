package io.wings.ingestor.service;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.wings.common.error.WingsException;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.StreamMove;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.UnreadResults;
import io.wings.ingestor.stream.FrameSource;
import io.wings.ingestor.stream.PutReplies;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * The transport's side of one DoPut stream. At most one frame waits here: the next is asked for
 * when the stream takes it. Results that the client doesn't read merge and never block.
 */
final class PutCall extends ServerCall.Listener<FlightFrame> implements FrameSource, PutReplies {
  /** What gRPC puts before each message. */
  private static final int ENVELOPE_BYTES = 5;

  private final ServerCall<FlightFrame, Flight.PutResult> call;
  private final InboundBytes.Share inbound;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final UnreadResults unread = new UnreadResults();
  private @Nullable FlightFrame waiting;

  /** Of the frame that was taken last; the stream's own thread's. */
  private long takenBytes;

  private boolean halfClosed;
  private boolean moving;
  private boolean woken;
  private boolean gone;
  private boolean closed;
  private @Nullable WingsException stopped;

  PutCall(ServerCall<FlightFrame, Flight.PutResult> call, InboundBytes.Share inbound) {
    this.call = call;
    this.inbound = inbound;
    inbound.onOverflow(
        () ->
            stop(
                WingsException.unavailable(
                    "ingestor-busy",
                    "too many bytes have arrived and wait; send smaller batches, or again later",
                    null)));
  }

  /** Asks for the first frame. */
  void begin() {
    lock.lock();
    try {
      call.sendHeaders(new Metadata());
      call.request(1);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onMessage(FlightFrame frame) {
    lock.lock();
    try {
      waiting = frame;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onHalfClose() {
    lock.lock();
    try {
      halfClosed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onCancel() {
    lock.lock();
    try {
      gone = true;
      closed = true;
      waiting = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onReady() {
    lock.lock();
    try {
      send(false);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Arrival next() throws InterruptedException {
    release();
    lock.lockInterruptibly();
    try {
      while (true) {
        if (gone) {
          return new Arrival.Gone();
        }
        if (stopped != null) {
          throw stopped;
        }
        FlightFrame frame = waiting;
        if (frame != null) {
          waiting = null;
          takenBytes = frame.size() + (long) ENVELOPE_BYTES;
          inbound.whenRoom(this::request);
          return new Arrival.Frame(frame);
        }
        if (halfClosed) {
          return new Arrival.End();
        }
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean awaitWake() throws InterruptedException {
    release();
    lock.lockInterruptibly();
    try {
      while (!gone && stopped == null && !woken) {
        changed.await();
      }
      if (!gone && stopped != null) {
        throw stopped;
      }
      woken = false;
      return !gone;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void wake() {
    lock.lock();
    try {
      woken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The frame that was taken last is done with. Never under the lock: others go on by this. */
  private void release() {
    if (takenBytes > 0) {
      inbound.release(takenBytes);
      takenBytes = 0;
    }
  }

  /** Asks for the next frame. */
  private void request() {
    lock.lock();
    try {
      if (!closed) {
        call.request(1);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void stop(WingsException error) {
    lock.lock();
    try {
      if (stopped == null) {
        stopped = error;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void opened(StreamOpened opened) {
    lock.lock();
    try {
      if (!closed) {
        call.sendMessage(opened.toPutResult());
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void move(StreamMove.Reason reason) {
    lock.lock();
    try {
      // Who sends nothing more contends for nothing; it may still wait for batches to be visible.
      boolean forNothing = halfClosed && reason == StreamMove.Reason.CONTENTION;
      if (!closed && !moving && !forNothing) {
        moving = true;
        call.sendMessage(new StreamMove(reason).toPutResult());
        woken = true;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isMoving() {
    lock.lock();
    try {
      return moving;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void result(BatchResult result) {
    lock.lock();
    try {
      if (!closed) {
        unread.add(result);
        send(false);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Sends results, as many as the transport takes or, at the end, all. */
  private void send(boolean all) {
    while (!closed && (all || call.isReady())) {
      BatchResult result = unread.poll();
      if (result == null) {
        return;
      }
      call.sendMessage(result.toPutResult());
    }
  }

  /** Ends the call, after all results. */
  void end(@Nullable Throwable error) {
    lock.lock();
    try {
      send(true);
      if (!closed) {
        closed = true;
        call.close(error == null ? Status.OK : FlightErrors.toStatus(error), new Metadata());
      }
      waiting = null;
    } finally {
      lock.unlock();
    }
    inbound.close();
  }
}
