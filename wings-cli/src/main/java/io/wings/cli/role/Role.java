package io.wings.cli.role;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.Gauge;
import io.wings.cli.ServerTls;
import io.wings.cli.StoreArguments;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.id.Ids;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.metrics.Readiness;
import io.wings.common.metrics.RoleEndpoint;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreProbe;
import io.wings.common.time.Time;
import io.wings.common.tls.Tls;
import io.wings.common.tls.Transport;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A role in the foreground of a process: what all of them need is opened, the role starts, says on
 * stdout in one line of JSON where it serves, and runs until SIGTERM or SIGINT stop it in order.
 */
public final class Role {
  private static final Logger log = LoggerFactory.getLogger(Role.class);

  private static final Duration MAX_READY_WAIT = Duration.ofSeconds(10);
  private static final Duration READY_POLL = Duration.ofMillis(20);

  private final String name;
  private final RoleArguments arguments;
  private final Time time = Time.system();
  private final Ids ids = Ids.secure();
  private final Threads threads = Threads.virtual();

  Role(String name, RoleArguments arguments) {
    this.name = name;
    this.arguments = arguments;
  }

  /** What a role that works on the cluster's store is started with. */
  record Parts(
      Cluster cluster,
      Transport transport,
      Time time,
      Ids ids,
      Threads threads,
      RoleEndpoint endpoint) {}

  /**
   * The cluster's store, probed, and its file.
   *
   * @param endpoint of the store, where it is an S3-compatible server
   */
  record Cluster(ObjectStore store, Optional<URI> endpoint, ClusterFile file) {}

  /** A started role. */
  record Started(AutoCloseable server, @Nullable String listen) {}

  /** Starts a role over the parts. */
  @FunctionalInterface
  interface Start {
    Started start(Parts parts) throws Exception;
  }

  /** Starts a role that needs no store. */
  @FunctionalInterface
  interface StartWithoutStore {
    Started start(Lifecycle lifecycle, Time time, Ids ids, Threads threads, RoleEndpoint endpoint)
        throws Exception;
  }

  /** Runs a role over the cluster's store; returns when it was stopped. */
  int run(StoreArguments storeArguments, PrintWriter out, Start start) throws Exception {
    try (Lifecycle lifecycle = new Lifecycle(name)) {
      RoleEndpoint endpoint = endpoint(lifecycle);
      ObjectStore store = lifecycle.add("store", storeArguments.open());
      StoreProbe.check(store, time, ids, threads);
      ClusterFile file = ClusterFile.open(store, time, ids);
      Transport transport = transport(lifecycle, endpoint);
      Cluster cluster = new Cluster(store, storeArguments.options().endpoint(), file);
      Parts parts = new Parts(cluster, transport, time, ids, threads, endpoint);
      serve(lifecycle, start.start(parts), endpoint, out);
    }
    return 0;
  }

  /** Runs a role that needs no store; returns when it was stopped. */
  int run(PrintWriter out, StartWithoutStore start) throws Exception {
    try (Lifecycle lifecycle = new Lifecycle(name)) {
      RoleEndpoint endpoint = endpoint(lifecycle);
      serve(lifecycle, start.start(lifecycle, time, ids, threads, endpoint), endpoint, out);
    }
    return 0;
  }

  private RoleEndpoint endpoint(Lifecycle lifecycle) {
    Optional<Tls> tls = arguments.httpTls(time, threads);
    tls.ifPresent(open -> lifecycle.add("http tls", open));
    RoleEndpoint endpoint =
        endpoint(
            lifecycle,
            name,
            arguments.http(),
            tls,
            arguments.metricsReaders(lifecycle, time, threads),
            threads);
    tls.ifPresent(open -> watch(open, "http", endpoint));
    return endpoint;
  }

  /** How the role connects to others. */
  Transport transport(Lifecycle lifecycle, RoleEndpoint endpoint) {
    Transport transport = lifecycle.add("transport", arguments.transport(time, threads));
    if (transport instanceof Transport.Mutual(Tls open)) {
      watch(open, "cluster", endpoint);
    }
    return transport;
  }

  /**
   * What clients see, if a role serves them by TLS; {@code lifecycle} closes it.
   *
   * @param endpoint tells when its certificate ends
   */
  static Optional<Tls> secured(
      ServerTls tls, Lifecycle lifecycle, Time time, Threads threads, RoleEndpoint endpoint) {
    Optional<Tls> secured = tls.open(time, threads);
    secured.ifPresent(
        open -> {
          Tls _ = lifecycle.add("tls", open);
          watch(open, "clients", endpoint);
        });
    return secured;
  }

  private static void watch(Tls tls, String certificate, RoleEndpoint endpoint) {
    Gauge.builder("wings.tls.certificate.left", () -> tls.left().toSeconds())
        .baseUnit("seconds")
        .description("How long a certificate that is shown is still good; below 0 it is over.")
        .tag("certificate", certificate)
        .register(endpoint.registry());
  }

  /** The endpoint of metrics; among them what {@code wings cluster upgrade} asks every role for. */
  static RoleEndpoint endpoint(
      Lifecycle lifecycle,
      String name,
      HostPort listen,
      Optional<Tls> tls,
      Predicate<String> readers,
      Threads threads) {
    RoleEndpoint endpoint =
        lifecycle.add(
            "http",
            RoleEndpoint.start(
                listen.socketAddress(), tls, threads.executor(name + "-http"), readers));
    ClusterFile.SUPPORTED.forEach(
        (format, version) ->
            Gauge.builder("wings.format.version", () -> version)
                .description("The newest version of a format that this program reads and writes.")
                .tag("format", format)
                .register(endpoint.registry()));
    return endpoint;
  }

  private void serve(Lifecycle lifecycle, Started started, RoleEndpoint endpoint, PrintWriter out)
      throws InterruptedException {
    AutoCloseable _ = lifecycle.add(name, started.server());
    awaitReady(endpoint.readiness(), time);
    announce(out, name, started.listen(), endpoint.port());
    untilStopped(lifecycle);
  }

  /** A role that has to find others first says so when it has; not for ever. */
  static void awaitReady(Readiness readiness, Time time) throws InterruptedException {
    long begun = time.nanos();
    while (!readiness.isReady() && time.since(begun).compareTo(MAX_READY_WAIT) < 0) {
      time.sleep(READY_POLL);
    }
  }

  /**
   * Says that a role serves.
   *
   * @param listen {@code host:port}, or null for a role without a port of its own
   */
  public static void announce(PrintWriter out, String role, @Nullable String listen, int httpPort) {
    ObjectNode line = new ObjectMapper().createObjectNode().put("role", role);
    if (listen != null) {
      line.put("listen", listen);
    }
    out.println(line.put("http_port", httpPort));
    out.flush();
  }

  /** Returns once the process was asked to end and all parts have stopped. */
  public static void untilStopped(Lifecycle parts) throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("stop")
                .unstarted(
                    () -> {
                      asked.countDown();
                      awaitQuietly(stopped);
                    }));
    asked.await();
    log.info("stopping");
    try {
      parts.close();
    } finally {
      stopped.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
