package io.wings.loadbalancer.proxy;

import io.wings.common.error.WingsException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bytes of frames that all streams together hold, arriving ones included, under one limit. When
 * half of it is used, a principal that has more than its fair share of that half is read no
 * further; when all of it is used, the stream of such a principal is over.
 *
 * <p>Safe for use by several threads.
 */
final class HeldBytes {
  private final long limit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Long> byPrincipal = new HashMap<>();
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private long total;

  private record Waiting(Share share, Runnable resume) {}

  HeldBytes(long limit) {
    this.limit = limit;
  }

  /** For ending a stream of {@code principal}. */
  static WingsException overflow(String principal) {
    return WingsException.unavailable(
        "too-many-bytes",
        "the streams of principal '"
            + principal
            + "' hold too many bytes at once; send smaller batches or fewer at a time",
        null);
  }

  /** The share of one stream. */
  Share share(String principal) {
    return new Share(principal);
  }

  /** Bytes held at this moment. */
  long total() {
    lock.lock();
    try {
      return total;
    } finally {
      lock.unlock();
    }
  }

  /** Whether {@code principal} may hold more while at most {@code most} bytes should be. */
  private boolean hasRoom(String principal, long most) {
    return total <= most
        || byPrincipal.getOrDefault(principal, 0L) <= most / Math.max(1, byPrincipal.size());
  }

  /** What one stream holds. */
  final class Share implements AutoCloseable {
    private final String principal;
    private long bytes;
    private boolean closed;

    private Share(String principal) {
      this.principal = principal;
    }

    /** Counts bytes that have arrived; false when the stream has to end because of them. */
    boolean add(long arrived) {
      lock.lock();
      try {
        if (closed) {
          return true;
        }
        bytes += arrived;
        total += arrived;
        long _ = byPrincipal.merge(principal, arrived, Long::sum);
        return hasRoom(principal, limit);
      } finally {
        lock.unlock();
      }
    }

    /** All that the stream held has gone on, or is dropped. */
    void releaseAll() {
      lock.lock();
      try {
        total -= bytes;
        long released = bytes;
        Long _ =
            byPrincipal.computeIfPresent(
                principal, (_, held) -> held == released ? null : held - released);
        bytes = 0;
      } finally {
        lock.unlock();
      }
      resume();
    }

    /** Runs {@code read} now or as soon as there is room for what it may bring. */
    void whenRoom(Runnable read) {
      lock.lock();
      try {
        if (closed) {
          return;
        }
        if (!hasRoom(principal, limit / 2)) {
          waiting.add(new Waiting(this, read));
          return;
        }
      } finally {
        lock.unlock();
      }
      read.run();
    }

    /** The stream is over. */
    @Override
    public void close() {
      lock.lock();
      try {
        closed = true;
        boolean _ = waiting.removeIf(one -> one.share == this);
      } finally {
        lock.unlock();
      }
      releaseAll();
    }
  }

  /** Resumes the streams for which there is room now, the longest waiting first. */
  private void resume() {
    ArrayDeque<Runnable> ready = new ArrayDeque<>();
    lock.lock();
    try {
      int rounds = waiting.size();
      for (int i = 0; i < rounds; i++) {
        Waiting one = waiting.removeFirst();
        if (hasRoom(one.share.principal, limit / 2)) {
          ready.add(one.resume);
        } else {
          waiting.addLast(one);
        }
      }
    } finally {
      lock.unlock();
    }
    ready.forEach(Runnable::run);
  }
}
