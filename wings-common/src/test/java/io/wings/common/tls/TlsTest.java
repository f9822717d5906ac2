package io.wings.common.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
  private static final Threads THREADS = Threads.virtual();

  @TempDir Path directory;
  private final TestAuthority authority = new TestAuthority("a cluster's");
  private final List<Runnable> open = new ArrayList<>();

  @AfterEach
  void close() {
    open.forEach(Runnable::run);
  }

  private Transport.Mutual role(TestAuthority of, String file, String... names) {
    TlsFiles files = of.issue(directory.resolve(file), file, names);
    Transport.Mutual transport =
        new Transport.Mutual(Tls.ofCluster(files, names[0], Time.system(), THREADS));
    open.add(transport::close);
    return transport;
  }

  private int serve(Transport transport) throws IOException {
    Server server =
        transport
            .server(NettyServerBuilder.forPort(0))
            .addService(new HealthStatusManager().getHealthService())
            .build()
            .start();
    open.add(server::shutdownNow);
    return server.getPort();
  }

  private ServingStatus ask(int port, Transport transport) {
    return ask(transport.client(NettyChannelBuilder.forAddress("127.0.0.1", port)));
  }

  private ServingStatus ask(NettyChannelBuilder builder) {
    ManagedChannel channel = builder.build();
    open.add(channel::shutdownNow);
    return HealthGrpc.newBlockingStub(channel)
        .withDeadlineAfter(20, TimeUnit.SECONDS)
        .check(HealthCheckRequest.getDefaultInstance())
        .getStatus();
  }

  private void refused(int port, Transport transport) {
    assertThrows(StatusRuntimeException.class, () -> ask(port, transport));
  }

  /** Where a role runs stands in no certificate. */
  @Test
  void rolesOfAClusterConnectWhereverTheyAre() throws IOException {
    Transport ingestor = role(authority, "ingestor", "wings");
    int port = serve(ingestor);
    assertEquals(ServingStatus.SERVING, ask(port, role(authority, "balancer", "wings")));
  }

  @Test
  void aRoleDealsWithNobodyElse() throws IOException {
    int port = serve(role(authority, "ingestor", "wings"));
    refused(port, Transport.Plaintext.INSTANCE);
    refused(port, role(new TestAuthority("another"), "foreign", "wings"));
    // Of the same authority, as a company's for all that it runs.
    refused(port, role(authority, "neighbour", "billing"));
    assertThrows(
        StatusRuntimeException.class,
        () -> ask(withoutCertificate(NettyChannelBuilder.forAddress("127.0.0.1", port))));
  }

  private NettyChannelBuilder withoutCertificate(NettyChannelBuilder builder) throws IOException {
    return builder.sslContext(
        io.grpc.netty.GrpcSslContexts.forClient()
            .trustManager(directory.resolve("ingestor/ca.crt").toFile())
            .build());
  }

  @Test
  void aRoleConnectsToNobodyElse() throws IOException {
    Transport balancer = role(authority, "balancer", "wings");
    refused(serve(Transport.Plaintext.INSTANCE), balancer);
    refused(serve(role(new TestAuthority("another"), "foreign", "wings")), balancer);
    refused(serve(role(authority, "neighbour", "billing")), balancer);
  }

  /** Trap 24: they are replaced before they run out, and nobody restarts anything. */
  @Test
  void connectionsShowWhatHasReplacedAnOldCertificate() throws Exception {
    ByHand time = new ByHand();
    Path files = directory.resolve("own");
    Tls tls = Tls.ofCluster(authority.issue(files, "first", "wings"), "wings", time, THREADS);
    open.add(tls::close);
    int port = serve(new Transport.Mutual(tls));
    Transport other = role(authority, "other", "wings");
    assertEquals(ServingStatus.SERVING, ask(port, other));

    // Another authority altogether: both ends have to have it.
    TestAuthority next = new TestAuthority("next");
    var _ = next.issue(files, "second", "wings");
    time.pass();
    refused(port, other);
    assertEquals(ServingStatus.SERVING, ask(port, role(next, "newer", "wings")));

    Files.writeString(files.resolve("tls.key"), "half of a k");
    time.pass();
    assertEquals(ServingStatus.SERVING, ask(port, role(next, "newest", "wings")));
  }

  /** Each would take a role that works from its peers. */
  @Test
  void aReplacementThatPeersWouldRefuseDoesNotReplace() throws Exception {
    ByHand time = new ByHand();
    Path files = directory.resolve("own");
    Tls tls = Tls.ofCluster(authority.issue(files, "first", "wings"), "wings", time, THREADS);
    open.add(tls::close);
    int port = serve(new Transport.Mutual(tls));
    Transport other = role(authority, "other", "wings");

    var _ = authority.issue(files, "misnamed", "billing");
    time.pass();
    assertEquals(ServingStatus.SERVING, ask(port, other));
    var _ = authority.issue(files, "over", Duration.ofDays(-1), "wings");
    time.pass();
    assertEquals(ServingStatus.SERVING, ask(port, other));
    byte[] authorities = Files.readAllBytes(files.resolve("ca.crt"));
    var _ = new TestAuthority("another").issue(files, "foreign", "wings");
    Files.write(files.resolve("ca.crt"), authorities);
    time.pass();
    assertEquals(ServingStatus.SERVING, ask(port, other));
  }

  @Test
  void refusesWhatCannotWorkAndSaysWhy() throws IOException {
    TlsFiles good = authority.issue(directory.resolve("good"), "good", "wings");
    TlsFiles other = authority.issue(directory.resolve("other"), "other", "wings");
    assertInvalid(
        "is not the key of the first certificate",
        new TlsFiles(good.certificates(), other.key(), good.authorities()));
    assertInvalid(
        "no PKCS#8 key", new TlsFiles(good.certificates(), good.certificates(), Optional.empty()));
    assertInvalid(
        "can't be read", new TlsFiles(directory.resolve("none"), good.key(), Optional.empty()));
    Path empty = Files.createFile(directory.resolve("empty"));
    assertInvalid("", new TlsFiles(empty, good.key(), Optional.empty()));
    WingsException nameless =
        assertThrows(
            WingsException.class, () -> Tls.ofCluster(good, "billing", Time.system(), THREADS));
    assertTrue(nameless.toString().contains("it is for [wings]"), nameless.toString());
  }

  private static void assertInvalid(String detail, TlsFiles files) {
    WingsException error =
        assertThrows(WingsException.class, () -> Tls.ofServer(files, Time.system(), THREADS));
    assertEquals("tls-invalid", error.code());
    assertTrue(error.toString().contains(detail), error.toString());
  }

  @Test
  void acceptsNoCertificateThatIsOver() throws IOException {
    int port = serve(role(authority, "ingestor", "wings"));
    TlsFiles over =
        authority.issue(directory.resolve("over"), "over", Duration.ofDays(-1), "wings");
    ByHand yesterday = new ByHand(Duration.ofDays(-1).minusHours(12));
    Tls late = Tls.ofCluster(over, "wings", yesterday, THREADS);
    open.add(late::close);
    assertTrue(late.left().isPositive(), () -> "by its clock: " + late.left());
    refused(port, new Transport.Mutual(late));
  }

  @Test
  void doesNotStartWithACertificateThatIsOver() throws IOException {
    TlsFiles over =
        authority.issue(directory.resolve("over"), "over", Duration.ofDays(-1), "wings");
    assertInvalid("is good from", over);
    assertInvalid(" until ", over);
    WingsException error =
        assertThrows(
            WingsException.class, () -> Tls.ofCluster(over, "wings", Time.system(), THREADS));
    assertEquals("tls-invalid", error.code());
    assertTrue(error.detail().contains("tls.crt is good from"), error.toString());
  }

  @Test
  void doesNotStartWithACertificateOfAnotherAuthorityThanTheClusters() throws IOException {
    TlsFiles own = authority.issue(directory.resolve("own"), "own", "wings");
    TlsFiles other = new TestAuthority("another").issue(directory.resolve("other"), "o", "wings");
    TlsFiles mixed = new TlsFiles(own.certificates(), own.key(), other.authorities());
    WingsException error =
        assertThrows(
            WingsException.class, () -> Tls.ofCluster(mixed, "wings", Time.system(), THREADS));
    assertTrue(error.detail().contains("none of the authorities"), error.toString());
  }

  @Test
  void tellsNobodyItsKey() throws IOException {
    TlsFiles files = authority.issue(directory.resolve("own"), "own", "wings");
    String text = Certificates.read(files).toString();
    assertEquals("Certificates[CN=own]", text);
    assertFalse(text.contains("PRIVATE"));
  }
}
