package io.wings.loadbalancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.wings.common.auth.TestTokens;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.ActionType;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.auth.BasicClientAuthHandler;
import org.apache.arrow.flight.auth2.BearerCredentialWriter;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logging in with stock clients. */
class AuthTest {
  private static final Flight.FlightDescriptor TABLE = RawStream.path("main", "web", "clicks");
  private static final Action DESCRIBE =
      new Action(
          "describe-table",
          "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"}"
              .getBytes(StandardCharsets.UTF_8));

  @TempDir private Path folder;
  private FakeIngestor ingestor;
  private Balancer balancer;

  @BeforeEach
  void start() throws Exception {
    Path tokens =
        TestTokens.file(
            folder, TestTokens.line("etl", "secret-1"), TestTokens.line("zoë", "secret-2"));
    ingestor = new FakeIngestor();
    balancer = new Balancer(Optional.of(tokens), ProxyLimits.DEFAULT, List.of(ingestor.address()));
    balancer.awaitHealthy(1);
  }

  @AfterEach
  void stop() {
    balancer.close();
    ingestor.close();
  }

  private void describe(FlightClient client, CallOption... options) {
    List<Result> results = new ArrayList<>();
    client.doAction(DESCRIBE, options).forEachRemaining(results::add);
    assertEquals(1, results.size());
  }

  private static FlightStatusCode refused(Runnable call) {
    CallStatus status = assertThrows(FlightRuntimeException.class, call::run).status();
    return status.code();
  }

  @Test
  void bearerTokenSaysWhoTheClientIs() throws Exception {
    try (RawStream stream = RawStream.as(balancer, "secret-2").open(TABLE).halfClose()) {
      assertEquals(Status.Code.OK, stream.end().getCode());
      assertEquals("zoë", ingestor.streams.getFirst().principal());
      assertTrue(ingestor.principals.stream().allMatch("zoë"::equals));
      assertEquals(List.of("127.0.0.1"), ingestor.addresses, "for the log of acts");
    }
  }

  /** Trap 38: what one may see of a table says nothing of what another may. */
  @Test
  void eachPrincipalLooksTablesUpForItself() throws Exception {
    for (String token : List.of("secret-1", "secret-2")) {
      try (RawStream stream = RawStream.as(balancer, token).open(TABLE).halfClose()) {
        assertEquals(Status.Code.OK, stream.end().getCode());
      }
    }
    assertEquals(2, ingestor.actions.size());
  }

  @Test
  void streamsWithoutAValidTokenAreRefused() throws Exception {
    try (RawStream none = RawStream.to(balancer).open(TABLE);
        RawStream wrong = RawStream.as(balancer, "secret-3").open(TABLE);
        RawStream empty = RawStream.as(balancer, "").open(TABLE)) {
      for (RawStream stream : List.of(none, wrong, empty)) {
        Status status = stream.end();
        assertEquals(Status.Code.UNAUTHENTICATED, status.getCode());
        assertTrue(String.valueOf(status.getDescription()).startsWith("unauthenticated: "));
      }
    }
    assertEquals(0, ingestor.principals.size());
    assertEquals(3, balancer.registry.get("wings.loadbalancer.unauthenticated").counter().count());
  }

  @Test
  void javaClientLogsInWithBasicAndGoesOnWithItsBearerToken() {
    FlightClient client = balancer.client();
    CredentialCallOption bearer = client.authenticateBasicToken("etl", "secret-1").orElseThrow();
    describe(client, bearer);
    assertEquals(List.of("etl"), ingestor.principals);
  }

  @Test
  void javaClientLogsInWithTheOlderHandshake() {
    FlightClient client = balancer.client();
    client.authenticate(new BasicClientAuthHandler("etl", "secret-1"));
    describe(client);
    assertEquals(List.of("etl"), ingestor.principals);
  }

  @Test
  void loginsWithAWrongPrincipalOrTokenAreRefused() {
    FlightClient client = balancer.client();
    assertEquals(
        FlightStatusCode.UNAUTHENTICATED,
        refused(() -> client.authenticateBasicToken("etl", "secret-2")));
    assertEquals(
        FlightStatusCode.UNAUTHENTICATED,
        refused(() -> client.authenticateBasicToken("root", "secret-1")));
    assertEquals(
        FlightStatusCode.UNAUTHENTICATED,
        refused(() -> client.authenticate(new BasicClientAuthHandler("etl", "nope"))));
    assertEquals(FlightStatusCode.UNAUTHENTICATED, refused(() -> describe(client)));
    assertEquals(
        FlightStatusCode.UNAUTHENTICATED,
        refused(
            () ->
                describe(
                    client, new CredentialCallOption(new BearerCredentialWriter("secret-3")))));
  }

  @Test
  void everyMethodAsksForAToken() {
    FlightClient client = balancer.client();
    assertEquals(
        FlightStatusCode.UNAUTHENTICATED,
        refused(() -> client.listActions().forEach(ActionType::getType)));
    assertEquals(
        FlightStatusCode.UNAUTHENTICATED,
        refused(() -> client.getSchema(FlightDescriptor.path("main", "web", "t"))));
  }

  @Test
  void changedTokensFileCountsWithoutRestart() throws Exception {
    Path _ = TestTokens.file(folder, TestTokens.line("late", "secret-9"));
    Balancer.await(
        "new token",
        () -> {
          try (RawStream stream = RawStream.as(balancer, "secret-9").open(TABLE).halfClose()) {
            return stream.end().isOk();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    try (RawStream stream = RawStream.as(balancer, "secret-1").open(TABLE)) {
      assertEquals(Status.Code.UNAUTHENTICATED, stream.end().getCode());
    }
  }

  @Test
  void openClusterLetsStockLoginsThrough() throws Exception {
    try (Balancer open = Balancer.open(ingestor)) {
      FlightClient client = open.client();
      CredentialCallOption bearer = client.authenticateBasicToken("me", "x").orElseThrow();
      describe(client, bearer);
      client.authenticate(new BasicClientAuthHandler("me", "x"));
      describe(client);
      assertEquals(List.of("anonymous", "anonymous"), ingestor.principals);
    }
  }
}
