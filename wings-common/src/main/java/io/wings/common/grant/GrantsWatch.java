package io.wings.common.grant;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.StoreException;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The grants as they were a few seconds ago. While they can't be read, the last ones hold. */
public final class GrantsWatch implements Supplier<Grants>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GrantsWatch.class);

  /** How long a change goes unnoticed, while the store answers. */
  public static final Duration INTERVAL = Duration.ofSeconds(5);

  private final GrantsObject object;
  private final Time time;
  private final Thread thread;
  private volatile Grants current;

  /**
   * Reads them, and goes on reading.
   *
   * @throws WingsException what {@link GrantsObject#read} throws
   */
  public GrantsWatch(GrantsObject object, Time time, Threads threads) {
    this.object = object;
    this.time = time;
    this.current = object.read();
    this.thread = threads.start("grants", this::watch);
  }

  private void watch() {
    try {
      while (true) {
        time.sleep(INTERVAL);
        look();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void look() {
    try {
      current = object.read();
    } catch (StoreException | WingsException e) {
      log.warn("grants can't be read; the last ones hold: {}", e.toString());
    } catch (RuntimeException e) {
      log.error("grants can't be read; the last ones hold", e);
    }
  }

  @Override
  public Grants get() {
    return current;
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
