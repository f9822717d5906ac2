package io.wings.catalog.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.wings.catalog.LocalTenants;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Deadline;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeadlineTest {
  private static Deadline of(Duration limit) {
    return new Deadline(Time.system(), Threads.virtual(), "the test", limit);
  }

  private static String hang() {
    try {
      new CountDownLatch(1).await();
      return "never";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("told to stop", e);
    }
  }

  @Test
  void interruptsWhatTakesTooLong() {
    assertThatThrownBy(() -> of(Duration.ofMillis(50)).within(DeadlineTest::hang))
        .isInstanceOf(WingsException.class)
        .hasMessageStartingWith("answer-late: ")
        .hasRootCauseInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  /** On a virtual thread, as requests run. */
  @Test
  void interruptsTheOpeningOfACatalogWhoseStorageHangs(@TempDir Path directory) throws Exception {
    try (ServerSocket storage = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        LocalTenants tenants = new LocalTenants(directory)) {
      tenants.register(
          "slow",
          Map.of(
              "type",
              "wings",
              "warehouse",
              "s3://bucket/slow",
              "s3.endpoint",
              "http://127.0.0.1:" + storage.getLocalPort(),
              "s3.path-style-access",
              "true",
              "s3.access-key-id",
              "key",
              "s3.secret-access-key",
              "secret"));
      CompletableFuture<Throwable> end = new CompletableFuture<>();
      Thread _ =
          Threads.virtual()
              .start(
                  "request",
                  () ->
                      end.complete(
                          catchThrowable(
                              () ->
                                  of(Duration.ofMillis(500))
                                      .within(
                                          () ->
                                              tenants.catalogs().open(new CatalogName("slow"))))));

      assertThat(end.get(10, TimeUnit.SECONDS)).hasMessageStartingWith("answer-late: ");
    }
  }

  @Test
  void leavesAloneWhatEndsInTime() {
    Deadline deadline = of(Duration.ofMinutes(1));

    assertThat(deadline.<String>within(() -> "done")).isEqualTo("done");
    assertThatThrownBy(
            () ->
                deadline.within(
                    () -> {
                      throw new IllegalArgumentException("its own");
                    }))
        .hasMessage("its own");
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
