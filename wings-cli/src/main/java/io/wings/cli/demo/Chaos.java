package io.wings.cli.demo;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.wings.cli.client.RoleMetrics;
import io.wings.common.concurrent.Threads;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Kills two roles of a demo, by SIGKILL: the ingestor that has the streams, once so many rows are
 * sent, and then the first worker that is seen at work. Clients send slowly while the ingestor
 * dies, so that it dies with something unanswered, and before all is sent.
 */
final class Chaos {
  /** Between two looks at what roles do; a worker's pass takes longer. */
  private static final Duration LOOK = Duration.ofMillis(20);

  /** Between two batches of a client while the ingestor dies: some in each window of a lane. */
  private static final long SLOWLY_MS = 250;

  private static final String RECEIVED = "wings_ingestor_bytes_received_total";
  private static final String RUNNING = "wings_worker_tasks_running";
  private static final String MATERIALISED = "wings_worker_rows_total";
  private static final String RESENT = "wings_loadbalancer_resent_total";
  private static final String DUPLICATES = "wings_ingestor_batches_duplicate_total";

  private final DemoCluster cluster;
  private final long afterRows;
  private final Time time;
  private final CountDownLatch enoughSent = new CountDownLatch(1);
  private final CountDownLatch ingestorDead = new CountDownLatch(1);
  private final List<String> killed = new CopyOnWriteArrayList<>();
  private volatile boolean allVisible;
  private volatile @Nullable RuntimeException failure;
  private @Nullable Thread thread;

  /** Nothing dies yet. */
  Chaos(DemoCluster cluster, long afterRows, Time time) {
    this.cluster = cluster;
    this.afterRows = afterRows;
    this.time = time;
  }

  /**
   * What came of it, by the roles' own metrics.
   *
   * @param resent frames that the load balancer sent again
   * @param duplicatesDropped batches that the log had already
   */
  @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
  record Outcome(List<String> killed, long resent, long duplicatesDropped) {}

  void start(Threads threads) {
    thread = threads.start("chaos", this::run);
  }

  private void run() {
    try {
      RoleProcess ingestor = firstAtWork("ingestor", RECEIVED);
      enoughSent.await();
      kill(ingestor);
      ingestorDead.countDown();
      kill(firstAtWork("worker", RUNNING));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      ingestorDead.countDown();
    }
  }

  private void kill(RoleProcess role) throws InterruptedException {
    role.kill();
    killed.add(role.name());
  }

  /** One that was missed at its work is the one that has done most of it. */
  private RoleProcess firstAtWork(String kind, String metric) throws InterruptedException {
    while (!allVisible) {
      RoleProcess busiest = busiest(kind, metric);
      if (busiest.metrics().sum(metric) > 0) {
        return busiest;
      }
      time.sleep(LOOK);
    }
    return busiest(kind, MATERIALISED);
  }

  private RoleProcess busiest(String kind, String metric) throws InterruptedException {
    List<RoleProcess> roles = cluster.alive(kind);
    RoleProcess busiest = roles.getFirst();
    double most = 0;
    for (RoleProcess role : roles) {
      double does = role.metrics().sum(metric);
      if (does > most) {
        most = does;
        busiest = role;
      }
    }
    return busiest;
  }

  /** So many rows are sent; holds the client that sent the last ones while the ingestor dies. */
  void sent(long rows) {
    if (rows < afterRows) {
      return;
    }
    enoughSent.countDown();
    try {
      boolean _ = ingestorDead.await(SLOWLY_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Once all is visible. */
  Outcome outcome() throws InterruptedException {
    allVisible = true;
    if (thread != null) {
      thread.join();
    }
    RuntimeException failed = failure;
    if (failed != null) {
      throw failed;
    }
    double duplicates = 0;
    for (RoleProcess ingestor : cluster.alive("ingestor")) {
      duplicates += ingestor.metrics().sum(DUPLICATES);
    }
    RoleMetrics balancer = cluster.alive("load-balancer").getFirst().metrics();
    return new Outcome(
        List.copyOf(killed), Math.round(balancer.sum(RESENT)), Math.round(duplicates));
  }
}
