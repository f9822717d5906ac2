package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.secret.Reading;
import io.wings.catalog.secret.SecretPointer.InAws;
import io.wings.catalog.secret.SecretStore;
import io.wings.common.cluster.CatalogName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.catalog.Catalog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When a tenant's secret is read again, and who waits for it. */
@Timeout(60)
class TenantSecretsTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final InAws ONE = new InAws("eu-central-1", "one");
  private static final InAws OTHER = new InAws("eu-central-1", "other");
  private static final Duration MAX_AGE = CatalogSettings.DEFAULT_SECRET_MAX_AGE;

  private final FakeStore store = new FakeStore();
  private final ForwardClock clock = new ForwardClock();
  private final LocalTenants tenants;

  TenantSecretsTest(@TempDir Path directory) {
    this.tenants =
        new LocalTenants(
            directory,
            clock,
            new Secrets(_ -> null, store, new UnusedStore<>(), new UnusedStore<>()));
    tenants.tenants().add(MAIN, ONE);
  }

  @AfterEach
  void close() {
    tenants.close();
  }

  /** Answers what it is told to, and can be held up. */
  private static final class FakeStore implements SecretStore<InAws> {
    private final Map<InAws, Reading> readings = new ConcurrentHashMap<>();
    private volatile CountDownLatch asked = new CountDownLatch(0);
    private volatile CountDownLatch mayAnswer = new CountDownLatch(0);
    private final AtomicInteger reads = new AtomicInteger();
    private volatile boolean closed;

    @Override
    public Reading read(InAws pointer) {
      reads.incrementAndGet();
      asked.countDown();
      try {
        mayAnswer.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return readings.getOrDefault(pointer, new Reading.Unreadable("missing"));
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private Reading secret(String more) {
    return Reading.Found.of(
        "{\"type\":\"wings\",\"warehouse\":\"%s\"%s}".formatted(tenants.warehouse("main"), more));
  }

  private Reading expiring(Duration left) {
    return secret(",\"s3.session-token-expires-at-ms\":" + clock.now().plus(left).toEpochMilli());
  }

  private Catalog open() {
    try (TenantCatalog catalog = tenants.catalogs().open(MAIN)) {
      return catalog.catalog();
    }
  }

  /** Trap 24: its store has renewed it long before the old one stops working. */
  @Test
  void readsASecretAgainBeforeWhatIsInItExpires() {
    store.readings.put(ONE, expiring(MAX_AGE.plusMinutes(4)));
    Catalog first = open();
    store.readings.put(ONE, expiring(Duration.ofHours(1)));

    clock.forward(Duration.ofMinutes(2));
    assertThat(open()).isSameAs(first);
    clock.forward(Duration.ofMinutes(2));
    assertThat(open()).isNotSameAs(first);
    assertThat(store.reads).hasValue(2);
  }

  @Test
  void aSecretThatHasExpiredIsReadAgainOftenButNotAtEveryTurn() {
    store.readings.put(ONE, expiring(Duration.ofMinutes(-1)));
    open();
    open();
    assertThat(store.reads).hasValue(1);
    clock.forward(CatalogSettings.SECRET_RETRY);
    open();
    assertThat(store.reads).hasValue(2);
  }

  @Test
  void anExpiryThatIsNoNumberIsRefused() {
    store.readings.put(ONE, secret(",\"s3.session-token-expires-at-ms\":\"tomorrow\""));

    assertThatThrownBy(this::open)
        .hasMessage(
            "catalog-refused: catalog main: expected milliseconds since 1970 in"
                + " s3.session-token-expires-at-ms");
  }

  @Test
  void othersGoOnWithWhatIsOpenWhileASecretIsRead() throws Exception {
    store.readings.put(ONE, secret(""));
    Catalog first = open();
    clock.forward(MAX_AGE);
    store.readings.put(ONE, secret(",\"table-default.a\":\"b\""));
    store.asked = new CountDownLatch(1);
    store.mayAnswer = new CountDownLatch(1);
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      Future<Catalog> reader = other.submit(this::open);
      store.asked.await();
      assertThat(open()).isSameAs(first);
      store.mayAnswer.countDown();
      assertThat(reader.get()).isNotSameAs(first);
    }
    assertThat(store.reads).hasValue(2);
  }

  @Test
  void whoWaitedForAFailureDoesNotWaitForTheNextOne() throws Exception {
    store.readings.put(ONE, new Reading.Unreachable("away"));
    store.asked = new CountDownLatch(1);
    store.mayAnswer = new CountDownLatch(1);
    List<Thread> threads = new CopyOnWriteArrayList<>();
    try (ExecutorService others = Executors.newFixedThreadPool(3)) {
      List<Future<Catalog>> openings = new ArrayList<>();
      for (int caller = 0; caller < 3; caller++) {
        openings.add(
            others.submit(
                () -> {
                  threads.add(Thread.currentThread());
                  return open();
                }));
      }
      store.asked.await();
      while (threads.stream().filter(TenantSecretsTest::waitsInTheSlot).count() < 3) {
        Thread.onSpinWait();
      }
      store.mayAnswer.countDown();
      for (Future<Catalog> opening : openings) {
        assertThatThrownBy(opening::get)
            .cause()
            .hasMessage("secret-store-unavailable: can't read " + ONE + ": away");
      }
    }
    assertThat(store.reads).hasValue(1);

    store.readings.put(ONE, secret(""));
    open();
  }

  private static boolean waitsInTheSlot(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(frame -> frame.getClassName().equals(CatalogSlot.class.getName()));
  }

  /** A pointer is replaced because the old secret shall not be used. */
  @Test
  void theSecretOfAReplacedPointerDoesNotStayInUse() {
    store.readings.put(ONE, secret(""));
    open();
    tenants.tenants().replace(MAIN, OTHER);
    store.readings.put(OTHER, new Reading.Unreachable("away"));
    clock.forward(MAX_AGE);

    assertThatThrownBy(this::open)
        .hasMessage("secret-store-unavailable: can't read " + OTHER + ": away");
    assertThatThrownBy(this::open).hasMessageStartingWith("secret-store-unavailable: ");
  }

  /** It may be half written. */
  @Test
  void whatIsNoSecretDoesNotReplaceTheLastOneAndIsReadAgainSoon() {
    store.readings.put(ONE, secret(""));
    Catalog first = open();
    store.readings.put(ONE, Reading.Found.of("{"));
    clock.forward(MAX_AGE);

    assertThat(open()).isSameAs(first);
    store.readings.put(ONE, secret(",\"table-default.a\":\"b\""));
    assertThat(open()).isSameAs(first);
    clock.forward(CatalogSettings.SECRET_RETRY);
    assertThat(open()).isNotSameAs(first);
  }

  @Test
  void whatIsNoSecretOpensNoCatalog() {
    store.readings.put(ONE, Reading.Found.of("{"));

    assertThatThrownBy(this::open).hasMessageStartingWith("secret-invalid: ");
  }

  @Test
  void storesAreClosedWithTheCatalogs() {
    tenants.catalogs().close();
    assertThat(store.closed).isTrue();
  }
}
