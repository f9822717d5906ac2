package io.wings.common.lifecycle;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running parts of a role, in the order in which they were started.
 *
 * <pre>{@code
 * Lifecycle lifecycle = new Lifecycle("broker");
 * try {
 *   ObjectStore store = lifecycle.add("store", ObjectStores.open(…));
 *   lifecycle.start("loop", loop::start, loop::stop);
 * } catch (Throwable e) {
 *   throw lifecycle.abandon(e);
 * }
 * }</pre>
 *
 * <p>Safe for use by several threads. {@link #close()} may be called any number of times; a second
 * caller waits for the first.
 */
public final class Lifecycle implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Lifecycle.class);

  /** An action that may fail. */
  @FunctionalInterface
  public interface Action {
    void run() throws Exception;
  }

  private record Part(String name, Action stop) {}

  private final String role;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Part> started = new ArrayDeque<>();
  private boolean closed;

  /**
   * Nothing runs yet.
   *
   * @param role for logs and errors
   */
  public Lifecycle(String role) {
    this.role = role;
  }

  /**
   * Runs {@code start}; from then on {@link #close()} runs {@code stop}. A part whose start fails
   * is not stopped: it cleans up after itself.
   */
  public void start(String name, Action start, Action stop) throws Exception {
    lock.lock();
    try {
      requireOpen(name);
      start.run();
      started.push(new Part(name, stop));
    } finally {
      lock.unlock();
    }
  }

  /** Takes over a part that already runs; closed at once if the role has been stopped meanwhile. */
  public <T extends AutoCloseable> T add(String name, T part) {
    lock.lock();
    try {
      if (closed) {
        stop(new Part(name, part::close), null);
      }
      requireOpen(name);
      started.push(new Part(name, part::close));
      return part;
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen(String name) {
    if (closed) {
      throw WingsException.unavailable(
          "stopped", role + " has been stopped; " + name + " was not started", null);
    }
  }

  /**
   * Stops what has been started, and hands back {@code cause}, as itself if it is unchecked, for
   * the caller to throw. Failures of stopping are suppressed in it.
   */
  public RuntimeException abandon(Throwable cause) {
    try {
      close();
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
    return switch (cause) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      case InterruptedException e -> {
        Thread.currentThread().interrupt();
        yield WingsException.unavailable("interrupted", role + " was stopped while starting", e);
      }
      default ->
          new WingsException(
              ErrorKind.INTERNAL, "start-failed", role + " could not start: " + cause, cause);
    };
  }

  /**
   * Stops every part, the last started first, each whatever the others did.
   *
   * @throws WingsException {@code stop-failed}, after all of them, when one or more failed
   */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      WingsException failure = null;
      while (!started.isEmpty()) {
        failure = stop(started.pop(), failure);
      }
      if (failure != null) {
        throw failure;
      }
    } finally {
      lock.unlock();
    }
  }

  private @Nullable WingsException stop(Part part, @Nullable WingsException earlier) {
    try {
      part.stop.run();
      return earlier;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      log.warn("{}: {} did not stop cleanly: {}", role, part.name, e.toString());
      if (earlier != null) {
        earlier.addSuppressed(e);
        return earlier;
      }
      return new WingsException(
          ErrorKind.INTERNAL, "stop-failed", role + ": " + part.name + " failed to stop: " + e, e);
    }
  }
}
