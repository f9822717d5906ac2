package io.wings.ingestor.service;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of frames that have arrived, whole or in part, and aren't done with, in all streams
 * together. While more than half of the limit is used, no stream asks for another frame; when all
 * of it is used, a stream that holds more than its share is over.
 *
 * <p>Safe for use by several threads.
 */
final class InboundBytes extends ServerStreamTracer.Factory {
  private static final Context.Key<Share> CURRENT = Context.key("wings-inbound");

  /** A stream that holds less than this part of the limit isn't ended for the others' sake. */
  private static final int SMALL_PART = 16;

  private final long limit;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private long total;

  InboundBytes(long limit) {
    this.limit = limit;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new Share();
  }

  /** That of the call which this thread begins to serve. */
  static Share current() {
    return CURRENT.get();
  }

  long total() {
    lock.lock();
    try {
      return total;
    } finally {
      lock.unlock();
    }
  }

  /** One call's part. */
  final class Share extends ServerStreamTracer {
    private long held;
    private boolean closed;
    private @Nullable Runnable onOverflow;

    @Override
    public Context filterContext(Context context) {
      return context.withValue(CURRENT, this);
    }

    /** Runs when the call has to end, on a transport thread. */
    void onOverflow(Runnable action) {
      lock.lock();
      try {
        onOverflow = action;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void inboundWireSize(long bytes) {
      Runnable overflow = null;
      lock.lock();
      try {
        if (closed) {
          return;
        }
        held += bytes;
        total += bytes;
        if (total > 2 * limit || (total > limit && held > limit / SMALL_PART)) {
          overflow = onOverflow;
        }
      } finally {
        lock.unlock();
      }
      if (overflow != null) {
        overflow.run();
      }
    }

    /** {@code bytes} of a frame are done with. */
    void release(long bytes) {
      free(bytes, false);
    }

    /** Runs {@code request} now, or once there is room. */
    void whenRoom(Runnable request) {
      lock.lock();
      try {
        if (total > limit / 2) {
          waiting.add(request);
          return;
        }
      } finally {
        lock.unlock();
      }
      request.run();
    }

    /** A call that isn't read as a stream has nobody who closes its share. */
    @Override
    public void streamClosed(Status status) {
      boolean streamed;
      lock.lock();
      try {
        streamed = onOverflow != null;
      } finally {
        lock.unlock();
      }
      if (!streamed) {
        close();
      }
    }

    /** The call has ended. */
    void close() {
      free(Long.MAX_VALUE, true);
    }

    private void free(long bytes, boolean last) {
      List<Runnable> resumed = new ArrayList<>();
      lock.lock();
      try {
        long freed = Math.min(bytes, held);
        held -= freed;
        total -= freed;
        closed |= last;
        if (total <= limit / 2) {
          resumed.addAll(waiting);
          waiting.clear();
        }
      } finally {
        lock.unlock();
      }
      resumed.forEach(Runnable::run);
    }
  }
}
