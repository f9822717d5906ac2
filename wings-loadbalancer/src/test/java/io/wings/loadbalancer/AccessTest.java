package io.wings.loadbalancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.grpc.Status;
import io.wings.common.auth.TestTokens;
import io.wings.common.auth.TokenFile;
import io.wings.common.flight.Create;
import io.wings.common.grant.Access;
import io.wings.common.grant.Grants;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import io.wings.common.grant.Subject;
import io.wings.common.time.Time;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.auth2.BearerCredentialWriter;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What callers may do whose names are known. */
class AccessTest {
  private static final Flight.FlightDescriptor T1 = RawStream.path("main", "web", "t1");
  private static final CallOption READER = bearer("reads");
  private static final CallOption STRANGER = bearer("nothing");

  @TempDir private Path folder;
  private volatile Grants grants = Grants.NONE;
  private FakeIngestor ingestor;
  private Balancer balancer;

  @BeforeEach
  void start() throws Exception {
    Path tokens =
        TestTokens.file(
            folder,
            TestTokens.line("writer", "writes"),
            TestTokens.line("reader", "reads"),
            TestTokens.line("stranger", "nothing"));
    ingestor = new FakeIngestor();
    balancer =
        new Balancer(
            new TokenFile(tokens, Time.system()),
            new Access.Granted(() -> grants),
            ProxyLimits.DEFAULT,
            Balancer.OFTEN,
            Duration.ZERO,
            List.of(ingestor.address()));
    balancer.awaitHealthy(1);
    grant("writer", Privilege.WRITE);
    grant("reader", Privilege.READ);
  }

  private void grant(String principal, Privilege privilege) {
    grants =
        grants.with(
            new Subject.Principal(principal),
            Scope.of("table", List.of("main", "web", "t1")),
            Set.of(privilege));
  }

  @AfterEach
  void stop() {
    balancer.close();
    ingestor.close();
  }

  private static CallOption bearer(String token) {
    return new CredentialCallOption(new BearerCredentialWriter(token));
  }

  private String end(String token, Flight.FlightDescriptor descriptor) throws Exception {
    try (RawStream stream = RawStream.as(balancer, token).open(descriptor).halfClose()) {
      Status status = stream.end();
      return status.isOk()
          ? "OK"
          : status.getCode() + " " + String.valueOf(status.getDescription()).split(":", 2)[0];
    }
  }

  @Test
  void streamsGoWhereTheirCallerMayWrite() throws Exception {
    assertEquals("OK", end("writes", T1));
    ingestor.principals.clear();
    assertEquals("NOT_FOUND forbidden", end("reads", T1));
    assertEquals("NOT_FOUND table-not-found", end("nothing", T1));
    assertEquals("NOT_FOUND table-not-found", end("writes", RawStream.path("main", "web", "t2")));
    assertEquals("NOT_FOUND table-not-found", end("writes", RawStream.path("second", "web", "t1")));
    assertEquals(List.of(), ingestor.principals, "no ingestor is asked");
  }

  @Test
  void whoMayNotMakeTablesWritesToThoseThatAre() throws Exception {
    Flight.FlightDescriptor making =
        RawStream.cmd(
            "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t1\",\"create\":\"if-missing\"}");
    assertEquals("OK", end("writes", making));
    assertEquals(Create.NEVER, ingestor.streams.getLast().create());
    grant("writer", Privilege.CREATE);
    assertEquals("OK", end("writes", making));
    assertEquals(Create.IF_MISSING, ingestor.streams.getLast().create());
  }

  private String act(String type, CallOption as) {
    Action action =
        new Action(
            type,
            "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t1\"}"
                .getBytes(StandardCharsets.UTF_8));
    FlightClient client = balancer.client();
    try {
      client.doAction(action, as).forEachRemaining(_ -> {});
      return "OK";
    } catch (FlightRuntimeException e) {
      assertEquals(FlightStatusCode.NOT_FOUND, e.status().code(), e.toString());
      return String.valueOf(e.getMessage()).split(":", 2)[0];
    }
  }

  @Test
  void actionsAskForThePrivilegeThatTheyNeed() {
    assertEquals("OK", act("describe-table", READER));
    assertEquals("OK", act("describe-table", bearer("writes")));
    assertEquals("OK", act("flush", bearer("writes")));
    assertEquals("forbidden", act("flush", READER));
    assertEquals("forbidden", act("drop-table", bearer("writes")));
    for (String type : List.of("describe-table", "flush", "drop-table")) {
      assertEquals("table-not-found", act(type, STRANGER), type);
    }
    grant("writer", Privilege.ADMIN);
    assertEquals("OK", act("drop-table", bearer("writes")));
  }

  @Test
  void listsAndSchemasShowWhatIsGranted() {
    FlightClient client = balancer.client();
    List<List<String>> listed = new ArrayList<>();
    client
        .listFlights(Criteria.ALL, READER)
        .forEach(flight -> listed.add(List.copyOf(flight.getDescriptor().getPath())));
    assertEquals(List.of(List.of("main", "web", "t1")), listed, "of two that there are");
    client.listFlights(Criteria.ALL, STRANGER).forEach(flight -> listed.add(List.of()));
    assertEquals(1, listed.size());
    FlightRuntimeException hidden =
        assertThrows(
            FlightRuntimeException.class,
            () -> client.getInfo(FlightDescriptor.path("main", "web", "t2"), READER));
    assertEquals(FlightStatusCode.NOT_FOUND, hidden.status().code());
    assertEquals(List.of(), ingestor.lookups, "no ingestor is asked");
  }

  @Test
  void whatIsTakenBackIsForbiddenToTheNextCall() throws Exception {
    assertEquals("OK", end("writes", T1));
    grants = Grants.NONE;
    assertEquals("NOT_FOUND table-not-found", end("writes", T1));
  }
}
