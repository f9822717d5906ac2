package io.wings.loadbalancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.wings.common.auth.TestTokens;
import io.wings.common.auth.TokenFile;
import io.wings.common.flight.FlightMethods;
import io.wings.common.grant.Access;
import io.wings.common.time.Time;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.auth.BasicClientAuthHandler;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Handshakes of those who say nothing, beside those who log in. */
@Timeout(120)
class LoginsTest {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration LONG = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private FakeIngestor ingestor;
  private final List<Balancer> balancers = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    ingestor = new FakeIngestor();
  }

  @AfterEach
  void stop() {
    channels.forEach(ManagedChannel::shutdownNow);
    balancers.forEach(Balancer::close);
    ingestor.close();
  }

  private Balancer balancer(ProxyLimits limits) throws Exception {
    Path tokens = TestTokens.file(folder, TestTokens.line("etl", "secret-1"));
    Balancer balancer =
        new Balancer(
            new TokenFile(tokens, Time.system()),
            Access.Everything.INSTANCE,
            limits,
            Balancer.OFTEN,
            Duration.ZERO,
            List.of(ingestor.address()));
    balancers.add(balancer);
    balancer.awaitHealthy(1);
    return balancer;
  }

  private ManagedChannel connect(Balancer balancer) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", balancer.server.port()).usePlaintext().build();
    channels.add(channel);
    return channel;
  }

  /** Handshakes of one connection that say nothing, and how they end. */
  private List<CompletableFuture<Status>> silent(Balancer balancer, int count) {
    ManagedChannel channel = connect(balancer);
    return IntStream.range(0, count)
        .mapToObj(
            _ -> {
              CompletableFuture<Status> ended = new CompletableFuture<>();
              ClientCall<Flight.HandshakeRequest, Flight.HandshakeResponse> call =
                  channel.newCall(FlightMethods.HANDSHAKE, CallOptions.DEFAULT);
              call.start(
                  new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                      ended.complete(status);
                    }
                  },
                  new Metadata());
              call.request(1);
              return ended;
            })
        .toList();
  }

  private static long count(List<CompletableFuture<Status>> ends, String error) {
    return ends.stream()
        .filter(CompletableFuture::isDone)
        .filter(end -> String.valueOf(end.join().getDescription()).startsWith(error + ": "))
        .count();
  }

  private static double open(Balancer balancer) {
    return balancer.registry.get("wings.loadbalancer.handshakes.open").gauge().value();
  }

  private static void logIn(Balancer balancer) {
    FlightClient client = balancer.client();
    client.authenticate(new BasicClientAuthHandler("etl", "secret-1"));
  }

  @Test
  void aHandshakeThatSaysNothingEndsSoon() throws Exception {
    Balancer balancer = balancer(Limits.login(SHORT));
    Status end = silent(balancer, 1).getFirst().get(1, TimeUnit.MINUTES);
    assertEquals(Status.Code.UNAUTHENTICATED, end.getCode(), end.toString());
    logIn(balancer);
  }

  @Test
  void aConnectionHasSoManyHandshakesAndTheOthersLogIn() throws Exception {
    Balancer balancer = balancer(Limits.login(LONG));
    List<CompletableFuture<Status>> ends = silent(balancer, 500);
    Balancer.await("refusals", () -> count(ends, "too-many-calls") == 400);
    logIn(balancer);
    assertEquals(400, count(ends, "too-many-calls"), "the other hundred wait on");
  }

  @Test
  void whereTooManyAreOpenTheOldestMakeRoom() throws Exception {
    Balancer balancer = balancer(Limits.login(LONG));
    List<CompletableFuture<Status>> ends = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ends.addAll(silent(balancer, 100));
    }
    Balancer.await("all", () -> open(balancer) == 1_000);
    List<CompletableFuture<Status>> later = silent(balancer, 50);
    Balancer.await("room", () -> count(ends, "too-many-calls") == 50);
    logIn(balancer);
    assertEquals(0, count(later, "too-many-calls"));
  }

  /** They cost the calls of those who are known nothing. */
  @Test
  void handshakesArentCountedAmongCalls() throws Exception {
    Balancer balancer = balancer(Limits.calls(1, 1));
    List<CompletableFuture<Status>> ends = silent(balancer, 20);
    Balancer.await("handshakes", () -> ends.stream().noneMatch(CompletableFuture::isDone));
    try (RawStream stream =
        RawStream.as(balancer, "secret-1").open(RawStream.path("main", "web", "t1")).halfClose()) {
      assertTrue(stream.end().isOk());
    }
    assertEquals(0, count(ends, "too-many-calls"));
  }

  /** As an attack does that costs a server much more than its client. */
  @Test
  void whoOnlyCancelsIsCutOff() throws Exception {
    Balancer balancer = balancer(ProxyLimits.DEFAULT);
    ManagedChannel channel = connect(balancer);
    CompletableFuture<Status> waiting = new CompletableFuture<>();
    ClientCall<Flight.HandshakeRequest, Flight.HandshakeResponse> longest =
        channel.newCall(FlightMethods.HANDSHAKE, CallOptions.DEFAULT);
    longest.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            waiting.complete(status);
          }
        },
        new Metadata());
    longest.request(1);
    for (int i = 0; i < 20_000 && !waiting.isDone(); i++) {
      ClientCall<Flight.HandshakeRequest, Flight.HandshakeResponse> call =
          channel.newCall(FlightMethods.HANDSHAKE, CallOptions.DEFAULT);
      call.start(new ClientCall.Listener<>() {}, new Metadata());
      call.cancel("at once", null);
    }
    Status end = waiting.get(1, TimeUnit.MINUTES);
    // Which of the two depends on whether the server's last frame is read before the connection is
    // reset.
    assertTrue(
        Set.of(Status.Code.UNAVAILABLE, Status.Code.RESOURCE_EXHAUSTED).contains(end.getCode()),
        end.toString());
    logIn(balancer);
  }
}
