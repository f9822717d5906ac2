package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.wings.catalog.io.LocationPolicy;
import io.wings.catalog.secret.SecretPointer;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CatalogSlotTest {
  private static final CatalogName MAIN = new CatalogName("main");

  private final CountDownLatch opening = new CountDownLatch(1);
  private final AtomicInteger opened = new AtomicInteger();
  private final CatalogSlot slot =
      new CatalogSlot(
          MAIN,
          () -> new SecretPointer.InFile(Path.of("/secret")),
          _ -> new Secret(Map.of()),
          _ -> open(),
          CatalogSettings.of("file:///cluster"),
          Time.system());

  /** Hangs the first time, until whoever waits is told to stop. */
  private OpenCatalog open() {
    if (opened.incrementAndGet() == 1) {
      opening.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw WingsException.unavailable("catalog-unavailable", "test", e);
      }
    }
    InMemoryCatalog catalog = new InMemoryCatalog();
    return new OpenCatalog(
        MAIN, CatalogType.REST, catalog, catalog, LocationPolicy.any(), List.of());
  }

  @Test
  @Timeout(30)
  void whoWaitsDoesntFailBecauseWhoCameFirstIsToldToStop() throws InterruptedException {
    Thread first =
        Threads.virtual()
            .start(
                "first",
                () -> {
                  try {
                    boolean _ = slot.hold().isPresent();
                  } catch (WingsException _) {
                    // As it was told.
                  }
                });
    opening.await();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread second = Thread.ofPlatform().unstarted(() -> slot.hold().orElseThrow().close());
    second.setUncaughtExceptionHandler((_, e) -> failure.set(e));
    second.start();
    while (second.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    first.interrupt();
    second.join();
    first.join();
    assertThat(failure).hasNullValue();
    assertThat(opened).hasValue(2);
  }
}
