package io.wings.catalog.secret;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is opened on first use, and closed once. An opening that fails is tried again. */
public final class OpenedOnce<T extends AutoCloseable> implements AutoCloseable {
  /** Opens it. */
  public interface Opening<T> {
    T open() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(OpenedOnce.class);

  private final Opening<T> opening;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable T opened;
  private boolean closed;

  public OpenedOnce(Opening<T> opening) {
    this.opening = opening;
  }

  /**
   * It, opened if need be.
   *
   * @throws IOException also when it has been closed
   */
  public T get() throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new IOException("closed");
      }
      T present = opened;
      if (present == null) {
        present = opening.open();
        opened = present;
      }
      return present;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      T present = opened;
      opened = null;
      if (present != null) {
        present.close();
      }
    } catch (Exception e) {
      LOG.warn("closing failed with {}", e.getClass().getName());
    } finally {
      lock.unlock();
    }
  }
}
