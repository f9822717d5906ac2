package io.wings.loadbalancer.proxy;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Handshakes under way. Nobody knows who makes them, so they aren't counted among the calls of
 * those who are known: there may be only so many of one connection and only for so long, and where
 * there are too many of all, the one that has waited longest makes room. Many addresses may be one
 * proxy's, so there is no bound for an address. Safe for several threads.
 */
final class Logins {
  /** Of all clients. */
  static final int MAX = 1_000;

  /** A process may have many threads, and one connection for all. */
  static final int MAX_OF_CONNECTION = 100;

  private final Duration patience;
  private final Time time;
  private final Threads threads;
  private final ReentrantLock lock = new ReentrantLock();

  /** In the order in which they began. */
  private final Set<Login> open = new LinkedHashSet<>();

  private final Map<SocketAddress, Integer> ofConnections = new HashMap<>();

  /**
   * @param patience how long one may take
   */
  Logins(Duration patience, Time time, Threads threads) {
    this.patience = patience;
    this.time = time;
    this.threads = threads;
  }

  /** How many there are at this moment. */
  int count() {
    lock.lock();
    try {
      return open.size();
    } finally {
      lock.unlock();
    }
  }

  /** One of them. */
  final class Login implements AutoCloseable {
    private final @Nullable SocketAddress connection;
    private volatile @Nullable Thread deadline;
    private volatile @Nullable Consumer<WingsException> end;

    private Login(@Nullable SocketAddress connection) {
      this.connection = connection;
    }

    /**
     * From now on it can be ended; it is, when it takes too long.
     *
     * @param by ends it; does nothing for one that has ended
     */
    void endedBy(Consumer<WingsException> by) {
      end = by;
      deadline = threads.start("login-deadline", this::await);
      if (!isOpen()) {
        // Made room for another in between.
        end(crowded());
      }
    }

    private boolean isOpen() {
      lock.lock();
      try {
        return open.contains(this);
      } finally {
        lock.unlock();
      }
    }

    private void await() {
      try {
        time.sleep(patience);
        end(
            new WingsException(
                ErrorKind.UNAUTHENTICATED,
                "unauthenticated",
                "the handshake wasn't complete within " + patience));
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }

    private void end(WingsException why) {
      Consumer<WingsException> by = end;
      if (by != null) {
        by.accept(why);
      }
    }

    /** It has ended. */
    @Override
    public void close() {
      lock.lock();
      try {
        forget(this);
      } finally {
        lock.unlock();
      }
      Thread waiting = deadline;
      if (waiting != null) {
        waiting.interrupt();
      }
    }
  }

  /**
   * One more; to be closed when it has ended.
   *
   * @param connection that it comes by; null where that isn't known
   * @throws WingsException {@code too-many-calls} of kind UNAVAILABLE
   */
  Login begin(@Nullable SocketAddress connection) {
    Login begun = new Login(connection);
    Login oldest = null;
    lock.lock();
    try {
      if (connection != null) {
        int before = ofConnections.getOrDefault(connection, 0);
        if (before >= MAX_OF_CONNECTION) {
          throw WingsException.unavailable(
              "too-many-calls",
              "this connection has " + before + " handshakes open, at most " + MAX_OF_CONNECTION,
              null);
        }
        ofConnections.put(connection, before + 1);
      }
      if (open.size() >= MAX) {
        Iterator<Login> all = open.iterator();
        oldest = all.next();
        forget(oldest);
      }
      boolean _ = open.add(begun);
    } finally {
      lock.unlock();
    }
    if (oldest != null) {
      oldest.end(crowded());
    }
    return begun;
  }

  private static WingsException crowded() {
    return WingsException.unavailable(
        "too-many-calls", "more than " + MAX + " handshakes are open; log in again", null);
  }

  /** The caller holds the lock. */
  private void forget(Login login) {
    SocketAddress connection = login.connection;
    if (open.remove(login) && connection != null) {
      Integer _ =
          ofConnections.computeIfPresent(connection, (_, count) -> count == 1 ? null : count - 1);
    }
  }
}
