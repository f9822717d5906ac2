package io.wings.loadbalancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.wings.common.auth.TestTokens;
import io.wings.common.auth.TokenFile;
import io.wings.common.concurrent.Threads;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.FlightMethods;
import io.wings.common.grant.Access;
import io.wings.common.grant.Grants;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import io.wings.common.grant.Subject;
import io.wings.common.time.Time;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.Tls;
import io.wings.common.tls.TlsFiles;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.auth2.BearerCredentialWriter;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is taken back from the callers of calls that are open. */
@Timeout(120)
class RevocationTest {
  private static final Flight.FlightDescriptor T1 = RawStream.path("main", "web", "t1");
  private static final Duration OFTEN = Duration.ofMillis(100);

  @TempDir private Path folder;
  private final TestAuthority clients = new TestAuthority("clients");
  private volatile Grants grants = Grants.NONE;
  private volatile Duration ahead = Duration.ZERO;
  private FakeIngestor ingestor;
  private Tls tls;
  private Balancer balancer;
  private Balancer secured;

  @BeforeEach
  void start() throws Exception {
    ingestor = new FakeIngestor();
    Path tokens = TestTokens.file(folder, TestTokens.line("etl", "secret-1"));
    TlsFiles own = new TestAuthority("servers").issue(folder.resolve("own"), "wings", "localhost");
    Path authority = clients.issue(folder.resolve("client"), "etl").authorities().orElseThrow();
    TlsFiles shown = new TlsFiles(own.certificates(), own.key(), Optional.of(authority));
    tls = Tls.ofServer(shown, Time.system(), Threads.virtual());
    balancer = balancer(Optional.empty(), tokens);
    secured = balancer(Optional.of(tls), tokens);
    grant(Privilege.WRITE);
  }

  private Balancer balancer(Optional<Tls> over, Path tokens) throws Exception {
    Balancer made =
        new Balancer(
            over,
            new TokenFile(tokens, Time.system()),
            new Access.Granted(() -> grants),
            Limits.recheck(OFTEN),
            Balancer.OFTEN,
            Duration.ZERO,
            List.of(ingestor.address()),
            new Ahead());
    made.awaitHealthy(1);
    return made;
  }

  @AfterEach
  void stop() {
    balancer.close();
    secured.close();
    ingestor.close();
    tls.close();
  }

  private void grant(Privilege privilege) {
    grants =
        grants.with(
            new Subject.Principal("etl"),
            Scope.of("table", List.of("main", "web", "t1")),
            Set.of(privilege));
  }

  private void awaitFrames(long frames) throws InterruptedException {
    Balancer.await("frames", () -> ingestor.framesSeen.get() == frames);
  }

  private static void assertEnds(RawStream stream, Status.Code code, String error)
      throws InterruptedException {
    Status end = stream.end();
    assertEquals(code, end.getCode(), end.toString());
    assertTrue(String.valueOf(end.getDescription()).startsWith(error + ": "), end.toString());
  }

  @Test
  void aStreamGoesOnWhileItsCallerMay() throws Exception {
    try (RawStream stream = RawStream.as(balancer, "secret-1").open(T1)) {
      for (int i = 1; i <= 5; i++) {
        Thread.sleep(OFTEN.toMillis());
        stream.body(new byte[] {1});
      }
      assertTrue(stream.halfClose().end().isOk());
    }
  }

  /** Between its batches as much as while it waits. */
  @Test
  void aStreamWhoseGrantIsTakenBackEndsOnceWhatItSentIsAnswered() throws Exception {
    ingestor.answering = false;
    try (RawStream stream = RawStream.as(balancer, "secret-1").open(T1)) {
      stream.body(new byte[] {1}).body(new byte[] {2});
      awaitFrames(3);
      grants = Grants.NONE;
      Balancer.await("no more of it", () -> ingestor.halfCloses.get() == 1);
      assertFalse(stream.isOver(), "two batches wait for their answer");
      stream.body(new byte[] {3});
      ingestor.answerAll();
      assertEnds(stream, Status.Code.NOT_FOUND, "table-not-found");
      assertEquals(2, stream.ranges().stream().mapToLong(BatchResult::count).sum());
      assertEquals(3, ingestor.framesSeen.get(), "what came later isn't passed on");
    }
  }

  @Test
  void whoKeepsLessIsToldSo() throws Exception {
    try (RawStream stream = RawStream.as(balancer, "secret-1").open(T1)) {
      awaitFrames(1);
      grants = Grants.NONE;
      grant(Privilege.READ);
      assertEnds(stream, Status.Code.NOT_FOUND, "forbidden");
    }
  }

  @Test
  void aStreamThatMayMakeItsTableEndsWithThatRight() throws Exception {
    ingestor.tableAbsent = true;
    grant(Privilege.CREATE);
    Flight.FlightDescriptor making =
        RawStream.cmd(
            "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t1\",\"create\":\"if-missing\"}");
    try (RawStream stream = RawStream.as(balancer, "secret-1").open(making)) {
      awaitFrames(1);
      grants = Grants.NONE;
      grant(Privilege.WRITE);
      // Of nothing that was sent the outcome is to be awaited but the end of an empty stream.
      assertEnds(stream, Status.Code.NOT_FOUND, "forbidden");
    }
  }

  @Test
  void aStreamWhoseTokenIsTakenBackEnds() throws Exception {
    try (RawStream stream = RawStream.as(balancer, "secret-1").open(T1).body(new byte[] {1});
        RawStream silent = RawStream.as(balancer, "secret-1")) {
      awaitFrames(2);
      Path _ = TestTokens.file(folder, TestTokens.line("other", "secret-2"));
      assertEnds(stream, Status.Code.UNAUTHENTICATED, "unauthenticated");
      assertEquals(1, stream.ranges().size());
      assertEnds(silent, Status.Code.UNAUTHENTICATED, "unauthenticated");
    }
  }

  @Test
  void aTokenThatIsSomebodyElsesNowEndsTheStream() throws Exception {
    try (RawStream stream = RawStream.as(balancer, "secret-1").open(T1)) {
      awaitFrames(1);
      Path _ = TestTokens.file(folder, TestTokens.line("somebody", "secret-1"));
      assertEnds(stream, Status.Code.UNAUTHENTICATED, "unauthenticated");
    }
  }

  /** It would be asked for by whoever it was when the call began. */
  @Test
  void aCallWhoseRequestIsYetToComeEndsWithItsToken() throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", balancer.server.port()).usePlaintext().build();
    try {
      Metadata headers = new Metadata();
      headers.put(
          Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer secret-1");
      CompletableFuture<Status> end = new CompletableFuture<>();
      ClientCall<Flight.Action, Flight.Result> call =
          channel.newCall(
              // A client of the other type sends nothing before its request.
              FlightMethods.DO_ACTION.toBuilder()
                  .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                  .build(),
              CallOptions.DEFAULT);
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
              end.complete(status);
            }
          },
          headers);
      call.request(1);
      Path _ = TestTokens.file(folder, TestTokens.line("other", "secret-2"));
      assertEquals(Status.Code.UNAUTHENTICATED, end.get(30, TimeUnit.SECONDS).getCode());
      assertTrue(ingestor.principals.isEmpty());
    } finally {
      channel.shutdownNow();
    }
  }

  private static Action action(String type, String more) {
    return new Action(
        type,
        "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t1\"%s}"
            .formatted(more)
            .getBytes(StandardCharsets.UTF_8));
  }

  private CompletableFuture<Void> act(Action action) {
    FlightClient client = balancer.client();
    CredentialCallOption token = new CredentialCallOption(new BearerCredentialWriter("secret-1"));
    return CompletableFuture.runAsync(
        () -> client.doAction(action, token).forEachRemaining(_ -> {}),
        task -> Thread.ofVirtual().start(task));
  }

  private CountDownLatch holdingCalls() {
    CountDownLatch released = new CountDownLatch(1);
    ingestor.onCall =
        () -> {
          try {
            released.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    return released;
  }

  @Test
  void aWaitForRowsEndsWithTheRightToSeeThem() throws Exception {
    CountDownLatch released = holdingCalls();
    try {
      CompletableFuture<Void> waiting =
          act(
              action(
                  "await-visible",
                  ",\"incarnation\":\"i\",\"lane\":0,\"position\":1,\"timeout_ms\":600000"));
      Balancer.await("the wait", () -> !ingestor.principals.isEmpty());
      grants = Grants.NONE;
      ExecutionException ended =
          assertThrows(ExecutionException.class, () -> waiting.get(1, TimeUnit.MINUTES));
      FlightRuntimeException why = assertInstanceOf(FlightRuntimeException.class, ended.getCause());
      assertEquals(FlightStatusCode.NOT_FOUND, why.status().code(), why.toString());
    } finally {
      released.countDown();
    }
  }

  /** Else its caller would be told that nothing was done. */
  @Test
  void anActThatWasAllowedIsLetFinish() throws Exception {
    grant(Privilege.ADMIN);
    CountDownLatch released = holdingCalls();
    CompletableFuture<Void> dropping = act(action("drop-table", ""));
    Balancer.await("the act", () -> !ingestor.principals.isEmpty());
    grants = Grants.NONE;
    Thread.sleep(OFTEN.multipliedBy(5).toMillis());
    assertFalse(dropping.isDone());
    released.countDown();
    dropping.get(1, TimeUnit.MINUTES);
  }

  @Test
  @SuppressWarnings("try") // a client's close may be interrupted, as the test may
  void aCertificateThatHasExpiredEndsTheStreamAndLetsNoOtherBegin() throws Exception {
    Path shows = folder.resolve("client");
    FlightClient.Builder builder =
        FlightClient.builder(
            secured.allocator, Location.forGrpcTls("localhost", secured.server.port()));
    try (InputStream trusted = Files.newInputStream(folder.resolve("own/ca.crt"));
        InputStream chain = Files.newInputStream(shows.resolve("tls.crt"));
        InputStream key = Files.newInputStream(shows.resolve("tls.key"))) {
      try (FlightClient client =
          builder.trustedCertificates(trusted).clientCertificate(chain, key).build()) {
        client.doAction(action("describe-table", "")).forEachRemaining(_ -> {});
        CountDownLatch released = holdingCalls();
        CompletableFuture<Void> waiting =
            CompletableFuture.runAsync(
                () -> client.doAction(action("describe-table", "")).forEachRemaining(_ -> {}),
                task -> Thread.ofVirtual().start(task));
        Balancer.await("the wait", () -> ingestor.principals.size() == 2);
        ahead = Duration.ofDays(2);
        ExecutionException ended =
            assertThrows(ExecutionException.class, () -> waiting.get(1, TimeUnit.MINUTES));
        FlightRuntimeException why =
            assertInstanceOf(FlightRuntimeException.class, ended.getCause());
        assertEquals(FlightStatusCode.UNAUTHENTICATED, why.status().code(), why.toString());
        released.countDown();
        FlightRuntimeException next =
            assertThrows(
                FlightRuntimeException.class,
                () -> client.doAction(action("describe-table", "")).forEachRemaining(_ -> {}));
        assertEquals(FlightStatusCode.UNAUTHENTICATED, next.status().code(), next.toString());
      }
    }
  }

  /** A wall clock that may be ahead. */
  private final class Ahead implements Time {
    @Override
    public long nanos() {
      return Time.system().nanos();
    }

    @Override
    public Instant now() {
      return Time.system().now().plus(ahead);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
      Time.system().sleep(duration);
    }

    @Override
    public boolean await(Lock lock, Condition condition, Duration timeout)
        throws InterruptedException {
      return Time.system().await(lock, condition, timeout);
    }
  }
}
