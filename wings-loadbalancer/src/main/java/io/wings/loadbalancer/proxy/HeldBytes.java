package io.wings.loadbalancer.proxy;

import io.wings.common.error.WingsException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of frames that all streams together hold, arriving ones included, under one limit. When
 * half of it is used, a principal that has more than its fair share of that half is read no
 * further; when all of it is used, the stream of such a principal is over.
 *
 * <p>Schemas and dictionaries stay for as long as their stream does. Were they to take all the
 * room, everybody would wait for room that nobody gives back; so they may have half of that from
 * which on streams are read no further, and a stream with which they would have more is over.
 *
 * <p>Safe for use by several threads.
 */
final class HeldBytes {
  private final long limit;
  private final long tenantLimit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Long> byPrincipal = new HashMap<>();
  private final Map<String, Long> byTenant = new HashMap<>();
  private final Map<String, Long> lastingByPrincipal = new HashMap<>();
  private final Map<String, Long> lastingByTenant = new HashMap<>();
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private long total;
  private long lasting;

  private record Waiting(Share share, Runnable resume) {}

  /**
   * @param limit of all
   * @param tenantLimit from which on the streams of one tenant are read no further
   */
  HeldBytes(long limit, long tenantLimit) {
    this.limit = limit;
    this.tenantLimit = tenantLimit;
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

  /** For ending a stream whose schema and dictionaries find no room beside those of others. */
  static WingsException lastingOverflow(String catalog) {
    return WingsException.unavailable(
        "too-many-bytes",
        "the schemas and dictionaries of open streams, of catalog \""
            + catalog
            + "\" or of all, leave too little room for batches; open fewer streams at once, or send plain columns instead of dictionaries",
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

  /** Bytes that the tenant with the most holds at this moment. */
  long largestTenant() {
    lock.lock();
    try {
      return byTenant.values().stream().mapToLong(Long::longValue).max().orElse(0);
    } finally {
      lock.unlock();
    }
  }

  private boolean mayRead(Share share) {
    String tenant = share.tenant;
    return hasRoom(share.principal, limit / 2)
        && (tenant == null || byTenant.getOrDefault(tenant, 0L) <= tenantLimit);
  }

  private static void count(Map<String, Long> sums, String key, long change) {
    long sum = sums.getOrDefault(key, 0L) + change;
    if (sum == 0) {
      Long _ = sums.remove(key);
    } else {
      Long _ = sums.put(key, sum);
    }
  }

  private boolean mayLast(Share share) {
    String tenant = share.tenant;
    long fair = limit / 4 / Math.max(1, lastingByPrincipal.size());
    return (lasting <= limit / 4 || lastingByPrincipal.getOrDefault(share.principal, 0L) <= fair)
        && (tenant == null || lastingByTenant.getOrDefault(tenant, 0L) <= tenantLimit / 2);
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

    /** Of these, what stays while the stream does. */
    private long kept;

    private boolean closed;

    /** Null until the stream has said whose it is. */
    private @Nullable String tenant;

    /** What the message that was asked for is expected to bring; counted as if it had. */
    private long expected;

    private long arriving;
    private long lastMessage;

    private Share(String principal) {
      this.principal = principal;
    }

    private void change(long by) {
      bytes += by;
      total += by;
      count(byPrincipal, principal, by);
      String counted = tenant;
      if (counted != null) {
        count(byTenant, counted, by);
      }
    }

    /** The stream is one of {@code catalog}'s. */
    void tenant(String catalog) {
      lock.lock();
      try {
        if (!closed && tenant == null) {
          tenant = catalog;
          count(byTenant, catalog, bytes);
          count(lastingByTenant, catalog, kept);
        }
      } finally {
        lock.unlock();
      }
    }

    private void changeKept(long by) {
      kept += by;
      lasting += by;
      count(lastingByPrincipal, principal, by);
      String counted = tenant;
      if (counted != null) {
        count(lastingByTenant, counted, by);
      }
    }

    /**
     * Of what the stream holds, {@code now} bytes stay while it does; false when they are more than
     * before, and it has to end because of them.
     */
    boolean lasts(long now) {
      lock.lock();
      try {
        if (closed || now == kept) {
          return true;
        }
        boolean more = now > kept;
        changeKept(now - kept);
        return !more || mayLast(this);
      } finally {
        lock.unlock();
      }
    }

    /** Counts bytes that have arrived; false when the stream has to end because of them. */
    boolean add(long arrived) {
      lock.lock();
      try {
        if (closed) {
          return true;
        }
        arriving += arrived;
        long foreseen = Math.min(expected, arrived);
        expected -= foreseen;
        change(arrived - foreseen);
        return hasRoom(principal, limit);
      } finally {
        lock.unlock();
      }
    }

    /** The message that was asked for has arrived whole. */
    void arrived() {
      lock.lock();
      try {
        lastMessage = arriving;
        arriving = 0;
        change(-expected);
        expected = 0;
      } finally {
        lock.unlock();
      }
    }

    /** So much is no longer kept. */
    void release(long freed) {
      lock.lock();
      try {
        change(-Math.min(bytes - expected, freed));
      } finally {
        lock.unlock();
      }
      resume();
    }

    /** All that the stream held is dropped. */
    void releaseAll() {
      lock.lock();
      try {
        change(-bytes);
        changeKept(-kept);
        expected = 0;
      } finally {
        lock.unlock();
      }
      resume();
    }

    private void expect() {
      expected = lastMessage;
      change(expected);
    }

    /** Runs {@code read} now or as soon as there is room for what it may bring. */
    void whenRoom(Runnable read) {
      lock.lock();
      try {
        if (closed) {
          return;
        }
        if (!mayRead(this)) {
          waiting.add(new Waiting(this, read));
          return;
        }
        expect();
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
        if (mayRead(one.share)) {
          one.share.expect();
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
