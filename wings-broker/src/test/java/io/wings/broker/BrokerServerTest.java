package io.wings.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.wings.broker.core.QueueRules;
import io.wings.broker.loop.BrokerTiming;
import io.wings.common.cluster.ClusterToken;
import io.wings.common.cluster.Keys;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.metrics.Readiness;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ForwardingStore;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.queue.Lease;
import io.wings.common.queue.QueueClient;
import io.wings.common.queue.QueueClientSettings;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.QueueFile;
import io.wings.common.queue.TaskSpec;
import io.wings.common.queue.TaskState;
import io.wings.common.time.Time;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.Tls;
import io.wings.common.tls.TlsFiles;
import io.wings.common.tls.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The role as its clients meet it: over gRPC on the loopback, on the machine's clocks. */
class BrokerServerTest {
  private static final Duration TAKEOVER = Duration.ofMillis(600);
  private static final QueueClientSettings PATIENT =
      new QueueClientSettings(
          Duration.ofSeconds(5), Duration.ofSeconds(20), null, Transport.Plaintext.INSTANCE);

  private final MemoryStore store = new MemoryStore();

  /** Keys that a broker has asked for or written. */
  private final Set<String> touched = ConcurrentHashMap.newKeySet();

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Readiness readiness = new Readiness();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  private BrokerServer broker(@Nullable ClusterToken token) {
    return broker(token, null);
  }

  private BrokerServer broker(@Nullable ClusterToken token, @Nullable HostPort advertised) {
    BrokerSettings settings =
        new BrokerSettings(
            HostPort.parse("127.0.0.1:0"),
            advertised,
            token,
            Transport.Plaintext.INSTANCE,
            new BrokerTiming(TAKEOVER),
            QueueRules.DEFAULT);
    BrokerServer server = start(settings);
    open.add(server);
    return server;
  }

  private BrokerServer start(BrokerSettings settings) {
    return BrokerServer.start(
        settings,
        new Watched(),
        Time.system(),
        Ids.secure(),
        Threads.virtual(),
        registry,
        readiness);
  }

  /** The store as brokers see it. */
  private final class Watched extends ForwardingStore {
    Watched() {
      super(store);
    }

    @Override
    public Optional<StoredObject> get(String key) {
      touched.add(key);
      return super.get(key);
    }

    @Override
    public Optional<StoredObject> getRange(String key, long offset, int length) {
      touched.add(key);
      return super.getRange(key, offset, length);
    }

    @Override
    public Optional<ObjectHead> head(String key) {
      touched.add(key);
      return super.head(key);
    }

    @Override
    public PutOutcome put(String key, Body body, PutCondition condition) {
      touched.add(key);
      return super.put(key, body, condition);
    }

    @Override
    public Iterator<ObjectHead> list(String prefix, String startAfter) {
      touched.add(prefix);
      return super.list(prefix, startAfter);
    }

    @Override
    public void delete(String key) {
      touched.add(key);
      super.delete(key);
    }
  }

  private QueueClient client(QueueClientSettings settings) {
    QueueClient client = new QueueClient(store, settings, Time.system(), Ids.secure());
    open.add(client);
    return client;
  }

  private static TaskSpec task(String key) {
    return new TaskSpec("materialize", key, key, Map.of("table", key), Duration.ZERO);
  }

  @Test
  void aTaskGoesFromScheduleToAcknowledge() {
    broker(null);
    QueueClient client = client(PATIENT);
    client.schedule(task("materialize/main/1"));
    List<Lease> leases = client.request("worker-1", Set.of("materialize"), 5, Duration.ZERO);
    assertEquals(1, leases.size());
    Lease lease = leases.getFirst();
    assertEquals("materialize/main/1", lease.task().key());
    assertEquals(Map.of("table", "materialize/main/1"), lease.task().payload());
    assertEquals(Duration.ofSeconds(30), lease.duration());
    assertEquals(Set.of(lease.id()), client.heartbeat(List.of(lease.id(), "gone")));
    assertTrue(client.acknowledge(lease.id()));
    assertFalse(client.acknowledge(lease.id()));
    assertEquals(List.of("sweep"), client.list().stream().map(task -> task.key()).toList());
    assertTrue(readiness.isReady());
    assertEquals(1, registry.get("wings.broker.is.active").gauge().value());
  }

  /** Its identity in the store may be one that is allowed nothing else. */
  @Test
  void aBrokerTouchesTheQueueAndNothingElseOfTheStore() {
    broker(null);
    QueueClient client = client(PATIENT);
    client.schedule(task("t"));
    Lease lease = client.request("w", Set.of("materialize"), 1, Duration.ZERO).getFirst();
    assertTrue(client.fail(lease.id(), "no space", Duration.ofMinutes(1)));
    assertTrue(client.retry("t"));
    assertEquals(Set.of(Keys.QUEUE), touched);
  }

  @Test
  void aFailureIsSeenAndRetriedByAPerson() {
    broker(null);
    QueueClient client = client(PATIENT);
    client.schedule(task("t"));
    Lease lease = client.request("w", Set.of("materialize"), 1, Duration.ZERO).getFirst();
    assertTrue(client.fail(lease.id(), "no space", Duration.ofMinutes(1)));
    assertEquals(List.of(), client.request("w", Set.of("materialize"), 1, Duration.ZERO));
    var failed =
        client.list().stream().filter(task -> task.key().equals("t")).findFirst().orElseThrow();
    assertEquals(TaskState.WAITING, failed.state());
    assertEquals("no space", failed.lastError());
    assertEquals(1, failed.failures());
    assertTrue(failed.runsIn().compareTo(Duration.ofSeconds(50)) > 0);
    assertTrue(client.retry("t"));
    assertFalse(client.retry("unknown"));
    assertEquals(1, client.request("w", Set.of("materialize"), 1, Duration.ZERO).size());
  }

  @Test
  void aLeaseThatIsHandedBackIsAnothersAtOnce() {
    broker(null);
    QueueClient client = client(PATIENT);
    client.schedule(task("t"));
    Lease lease = client.request("w", Set.of("materialize"), 1, Duration.ZERO).getFirst();
    client.release(List.of(lease.id(), "gone"));
    assertFalse(client.acknowledge(lease.id()));
    Lease again = client.request("other", Set.of("materialize"), 1, Duration.ZERO).getFirst();
    assertEquals("t", again.task().key());
    assertEquals(0, again.task().failures());
    assertEquals(0, again.task().expiries());
  }

  /** A drained broker's clients wait for the next one's look, not for the takeover time. */
  @Test
  void aBrokerThatIsStoppedStepsDown() {
    BrokerServer first = broker(null);
    QueueClient client = client(PATIENT);
    client.schedule(task("t"));
    first.close();
    QueueFile left = new QueueCodec().decode(store.get(Keys.QUEUE).orElseThrow().bytes()).value();
    assertTrue(left.steppedDown());
    assertTrue(left.tasks().stream().anyMatch(task -> task.key().equals("t")));
    broker(null);
    assertEquals(1, client.request("w", Set.of("materialize"), 1, Duration.ZERO).size());
  }

  @Test
  void aHeldRequestIsAnsweredWhenWorkComes() throws Exception {
    broker(null);
    QueueClient client = client(PATIENT);
    client.schedule(task("first"));
    client.request("w", Set.of("materialize"), 1, Duration.ZERO);
    List<Lease> got = new ArrayList<>();
    Thread waiting =
        Threads.virtual()
            .start(
                "waiting",
                () ->
                    got.addAll(
                        client.request("w", Set.of("materialize"), 1, Duration.ofSeconds(10))));
    long start = Time.system().nanos();
    client.schedule(task("second"));
    waiting.join();
    assertEquals("second", got.getFirst().task().key());
    assertTrue(Time.system().since(start).compareTo(Duration.ofSeconds(5)) < 0);
  }

  @Test
  void aClientFindsTheNextBroker() throws Exception {
    BrokerServer first = broker(null);
    QueueClient client = client(PATIENT);
    client.schedule(task("t"));
    BrokerServer second = broker(null);
    first.close();
    Lease lease = client.request("w", Set.of("materialize"), 1, Duration.ZERO).getFirst();
    assertEquals("t", lease.task().key());
    assertTrue(
        new String(store.get("queue.json").orElseThrow().bytes(), StandardCharsets.UTF_8)
            .contains(second.address().toString()));
  }

  /**
   * Traps 23 and 37: the address of a live broker goes to another process. Who comes anew is led to
   * that one; a client with a connection to the first must not stay with it.
   */
  @Test
  void clientsFollowAnAddressThatLeadsToAnotherProcess() throws Exception {
    try (Relay relay = new Relay()) {
      BrokerServer first = broker(null, relay.address());
      relay.lead(first.port());
      QueueClient early = client(PATIENT);
      early.schedule(task("early"));
      BrokerServer second = broker(null, relay.address());
      relay.lead(second.port());
      early.schedule(task("by the old connection"));

      QueueClient late = client(PATIENT);
      late.schedule(task("late"));

      early.schedule(task("after the takeover"));
      List<String> keys = late.list().stream().map(task -> task.key()).toList();
      assertEquals(
          List.of("after the takeover", "by the old connection", "early", "late", "sweep"), keys);
    }
  }

  /** An address that leads to one listener or another; connections stay where they were led. */
  private static final class Relay implements AutoCloseable {
    private final ServerSocket listener;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile int port;

    Relay() throws IOException {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      Thread _ = Threads.virtual().start("relay", this::accept);
    }

    HostPort address() {
      return HostPort.parse("127.0.0.1:" + listener.getLocalPort());
    }

    void lead(int target) {
      port = target;
    }

    private void accept() {
      try {
        while (true) {
          Socket from = listener.accept();
          Socket to = new Socket(InetAddress.getLoopbackAddress(), port);
          sockets.add(from);
          sockets.add(to);
          Thread _ = Threads.virtual().start("relay", () -> copy(from, to));
          Thread _ = Threads.virtual().start("relay", () -> copy(to, from));
        }
      } catch (IOException e) {
        // Closed.
      }
    }

    private static void copy(Socket from, Socket to) {
      try (from;
          to) {
        from.getInputStream().transferTo(to.getOutputStream());
      } catch (IOException e) {
        // Either end has gone.
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  void aLeaseSurvivesItsBroker() {
    BrokerServer first = broker(null);
    QueueClient client = client(PATIENT);
    client.schedule(task("t"));
    Lease lease = client.request("w", Set.of("materialize"), 1, Duration.ZERO).getFirst();
    first.close();
    broker(null);
    assertEquals(Set.of(lease.id()), client.heartbeat(List.of(lease.id())));
    assertTrue(client.acknowledge(lease.id()));
  }

  @Test
  void withoutABrokerACallEndsWhenPatienceDoes() {
    QueueClient client =
        client(
            new QueueClientSettings(
                Duration.ofMillis(200),
                Duration.ofMillis(300),
                null,
                Transport.Plaintext.INSTANCE));
    WingsException error = assertThrows(WingsException.class, () -> client.schedule(task("t")));
    assertEquals("broker-unavailable", error.code());
    assertEquals(ErrorKind.UNAVAILABLE, error.kind());
  }

  @Test
  void whoComesWithoutTlsIsToldWhatToSay(@TempDir Path directory) {
    TlsFiles files = new TestAuthority("cluster").issue(directory, "broker", "wings");
    Transport secured =
        new Transport.Mutual(Tls.ofCluster(files, "wings", Time.system(), Threads.virtual()));
    open.add(secured);
    open.add(
        start(
            new BrokerSettings(
                HostPort.parse("127.0.0.1:0"),
                null,
                null,
                secured,
                new BrokerTiming(TAKEOVER),
                QueueRules.DEFAULT)));
    QueueClient client =
        client(
            new QueueClientSettings(
                Duration.ofSeconds(5), Duration.ofSeconds(3), null, Transport.Plaintext.INSTANCE));
    WingsException error = assertThrows(WingsException.class, () -> client.schedule(task("t")));
    assertEquals("broker-unavailable", error.code());
    assertTrue(error.toString().contains("--cluster-cert"), error.toString());
  }

  @Test
  void whoDoesNotKnowTheClusterTokenIsRefused() {
    ClusterToken token = new ClusterToken("s3cret");
    broker(token);
    WingsException error =
        assertThrows(WingsException.class, () -> client(PATIENT).schedule(task("t")));
    assertEquals(ErrorKind.UNAUTHENTICATED, error.kind());
    WingsException wrong =
        assertThrows(
            WingsException.class,
            () -> client(PATIENT.with(new ClusterToken("guess"))).schedule(task("t")));
    assertEquals(ErrorKind.UNAUTHENTICATED, wrong.kind());
    client(PATIENT.with(token)).schedule(task("t"));
  }

  @Test
  void anInvalidRequestIsNotRepeated() {
    broker(null);
    WingsException error =
        assertThrows(
            WingsException.class, () -> client(PATIENT).request("w", Set.of(), 1, Duration.ZERO));
    assertEquals(ErrorKind.INVALID, error.kind());
    assertEquals("invalid-request", error.code());
  }

  /** Trap 23: an address that others can't reach is published. */
  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0:8816", "[::]:8816", "0.0.0.0:0"})
  void refusesToPublishAnAddressThatOthersCannotReach(String address) {
    assertUnreachable(BrokerSettings.of(HostPort.parse("127.0.0.1:0"), HostPort.parse(address)));
    assertTrue(store.get("queue.json").isEmpty());
  }

  /** Trap 23, where nothing is said: listening everywhere is no address. */
  @Test
  void refusesToGuessAnAddressWhenItListensEverywhere() {
    assertUnreachable(BrokerSettings.of(HostPort.parse("0.0.0.0:0"), null));
    assertThrows(WingsException.class, () -> HostPort.parse(":8816"));
  }

  private void assertUnreachable(BrokerSettings settings) {
    WingsException error = assertThrows(WingsException.class, () -> start(settings));
    assertEquals("unreachable-address", error.code());
  }
}
