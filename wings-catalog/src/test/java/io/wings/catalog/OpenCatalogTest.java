package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.wings.catalog.io.LocationPolicy;
import io.wings.common.cluster.CatalogName;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.junit.jupiter.api.Test;

class OpenCatalogTest {
  private static final int RACES = 3_000;

  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final AtomicInteger closed = new AtomicInteger();

  private OpenCatalog open() {
    closed.set(0);
    return new OpenCatalog(
        new CatalogName("main"),
        CatalogType.REST,
        catalog,
        catalog,
        LocationPolicy.any(),
        List.of(closed::incrementAndGet));
  }

  @Test
  void isClosedOnceItIsRetiredAndTheLastHolderLetsGo() {
    OpenCatalog open = open();
    TenantCatalog first = open.hold();
    TenantCatalog second = open.hold();
    first.close();
    first.close();
    open.retire();
    assertThat(closed).hasValue(0);
    second.close();
    assertThat(closed).hasValue(1);
  }

  @Test
  void isClosedOnceWhoeverComesLast() throws Exception {
    for (int race = 0; race < RACES; race++) {
      OpenCatalog open = open();
      TenantCatalog held = open.hold();
      CyclicBarrier start = new CyclicBarrier(2);
      Thread other =
          new Thread(
              () -> {
                try {
                  start.await();
                  held.close();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      other.start();
      start.await();
      open.retire();
      other.join();
      assertThat(closed).hasValue(1);
    }
  }
}
