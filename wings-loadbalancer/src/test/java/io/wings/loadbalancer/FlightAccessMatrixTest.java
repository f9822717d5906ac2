package io.wings.loadbalancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.wings.common.auth.TestIssuer;
import io.wings.common.auth.TestIssuer.Flaw;
import io.wings.common.cluster.CatalogName;
import io.wings.common.flight.FlightAction;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.FlightMethods;
import io.wings.common.flight.ListDemand;
import io.wings.common.grant.Access;
import io.wings.common.grant.Grants;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import io.wings.common.grant.Subject;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every method and action, called by everybody: who shows nothing, something bad, too little,
 * enough.
 */
class FlightAccessMatrixTest {
  private static final Set<Privilege> ANY = EnumSet.allOf(Privilege.class);
  private static final Set<Privilege> READERS =
      Set.of(Privilege.READ, Privilege.WRITE, Privilege.ADMIN);
  private static final Set<Privilege> WRITERS = Set.of(Privilege.WRITE, Privilege.ADMIN);
  private static final Set<Privilege> MAKERS = Set.of(Privilege.CREATE, Privilege.ADMIN);
  private static final Set<Privilege> ADMINS = Set.of(Privilege.ADMIN);

  /** Before what the criteria of a list are about. */
  private static final String LISTS = "ListFlights ";

  private static TestIssuer issuer;
  private static FakeIngestor ingestor;
  private static Balancer balancer;
  private static ManagedChannel channel;
  private static Grants grants = Grants.NONE;

  /**
   * How something is called.
   *
   * @param request about a table of a catalog
   * @param enough who has one of these on the catalog may
   * @param secret whether a stranger is told that there is no such table; otherwise it is about
   *     none
   */
  private record Row<Q, R>(
      MethodDescriptor<Q, R> method,
      Function<String, Q> request,
      Set<Privilege> enough,
      boolean secret,
      Status.Code code) {}

  /** What became of a call. */
  private record End(Status status, int replies) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof End(Status ended, int count)
          && ended.getCode() == status.getCode()
          && Objects.equals(ended.getDescription(), status.getDescription())
          && count == replies;
    }

    @Override
    public int hashCode() {
      return replies;
    }

    String text() {
      return status.getCode() + " " + status.getDescription();
    }
  }

  private static final Map<String, Row<?, ?>> ROWS = rows();

  private static Map<String, Row<?, ?>> rows() {
    Map<String, Row<?, ?>> rows = new TreeMap<>();
    Status.Code ok = Status.Code.OK;
    Status.Code none = Status.Code.UNIMPLEMENTED;
    Function<String, FlightFrame> frame =
        catalog ->
            new FlightFrame(
                Flight.FlightData.newBuilder()
                    .setFlightDescriptor(table(catalog))
                    .setDataHeader(ByteString.copyFromUtf8("schema"))
                    .build()
                    .toByteArray());
    put(
        rows,
        new Row<>(
            FlightMethods.HANDSHAKE,
            _ -> Flight.HandshakeRequest.getDefaultInstance(),
            ANY,
            false,
            ok));
    put(rows, new Row<>(FlightMethods.DO_PUT, frame, WRITERS, true, ok));
    put(
        rows,
        new Row<>(
            FlightMethods.LIST_ACTIONS, _ -> Flight.Empty.getDefaultInstance(), ANY, false, ok));
    put(
        rows,
        new Row<>(
            FlightMethods.LIST_FLIGHTS, _ -> Flight.Criteria.getDefaultInstance(), ANY, false, ok));
    list(rows, "of a catalog", "{\"catalog\":\"%s\"}");
    list(rows, "of a namespace", "{\"catalog\":\"%s\",\"namespace\":[\"web\"]}");
    list(rows, "of none", "{\"catalog\":\"%s\",\"namespace\":[]}");
    put(
        rows,
        new Row<>(FlightMethods.GET_SCHEMA, FlightAccessMatrixTest::table, READERS, true, ok));
    put(
        rows,
        new Row<>(FlightMethods.GET_FLIGHT_INFO, FlightAccessMatrixTest::table, READERS, true, ok));
    put(
        rows,
        new Row<>(FlightMethods.POLL_FLIGHT_INFO, FlightAccessMatrixTest::table, ANY, false, none));
    put(
        rows,
        new Row<>(FlightMethods.DO_GET, _ -> Flight.Ticket.getDefaultInstance(), ANY, false, none));
    put(rows, new Row<>(FlightMethods.DO_EXCHANGE, frame, ANY, false, none));
    action(rows, FlightAction.CREATE_TABLE, MAKERS, ",\"schema\":\"AAAA\"");
    action(rows, FlightAction.DESCRIBE_TABLE, READERS, "");
    action(rows, FlightAction.DROP_TABLE, ADMINS, "");
    action(rows, FlightAction.PRODUCER_STATE, WRITERS, ",\"producer\":\"p\"");
    action(rows, FlightAction.FLUSH, WRITERS, "");
    action(
        rows,
        FlightAction.AWAIT_VISIBLE,
        READERS,
        ",\"incarnation\":\"i\",\"lane\":0,\"position\":1,\"timeout_ms\":10");
    return rows;
  }

  private static void put(Map<String, Row<?, ?>> rows, Row<?, ?> row) {
    rows.put(String.valueOf(row.method.getBareMethodName()), row);
  }

  private static void list(Map<String, Row<?, ?>> rows, String what, String criteria) {
    rows.put(
        LISTS + what,
        new Row<>(
            FlightMethods.LIST_FLIGHTS,
            catalog ->
                Flight.Criteria.newBuilder()
                    .setExpression(ByteString.copyFromUtf8(criteria.formatted(catalog)))
                    .build(),
            ANY,
            false,
            Status.Code.OK));
  }

  private static void action(
      Map<String, Row<?, ?>> rows, FlightAction action, Set<Privilege> enough, String more) {
    Function<String, Flight.Action> request =
        catalog ->
            Flight.Action.newBuilder()
                .setType(action.type())
                .setBody(
                    ByteString.copyFromUtf8(
                        "{\"catalog\":\"%s\",\"namespace\":[\"web\"],\"table\":\"t1\"%s}"
                            .formatted(catalog, more)))
                .build();
    rows.put(
        "DoAction " + action.type(),
        new Row<>(FlightMethods.DO_ACTION, request, enough, true, Status.Code.OK));
  }

  private static Flight.FlightDescriptor table(String catalog) {
    return RawStream.path(catalog, "web", "t1");
  }

  static Set<String> calls() {
    return ROWS.keySet();
  }

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    issuer = new TestIssuer(directory);
    ingestor = new FakeIngestor();
    balancer =
        new Balancer(
            issuer.authenticator(),
            new Access.Granted(() -> grants),
            ProxyLimits.DEFAULT,
            Balancer.OFTEN,
            Duration.ZERO,
            List.of(ingestor.address()));
    balancer.awaitHealthy(1);
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", balancer.server.port()).usePlaintext().build();
    for (Privilege privilege : Privilege.values()) {
      grant(privilege.toString(), "main", privilege);
    }
    grant("neighbour", "other", Privilege.ADMIN);
    grants =
        grants
            .with(new Subject.Principal("everywhere"), new Scope.Cluster(), Set.of(Privilege.READ))
            .with(
                new Subject.Principal("shop"),
                new Scope.Namespace(new CatalogName("main"), List.of("shop")),
                Set.of(Privilege.READ));
  }

  private static void grant(String principal, String catalog, Privilege privilege) {
    grants =
        grants.with(
            new Subject.Principal(principal),
            new Scope.Catalog(new CatalogName(catalog)),
            Set.of(privilege));
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    balancer.close();
    ingestor.close();
  }

  private static Row<?, ?> row(String call) {
    return Objects.requireNonNull(ROWS.get(call), call);
  }

  private static End call(String call, @Nullable String token, String catalog) throws Exception {
    ingestor.principals.clear();
    return call(row(call), token, catalog);
  }

  private static <Q, R> End call(Row<Q, R> row, @Nullable String token, String catalog)
      throws Exception {
    Metadata headers = new Metadata();
    if (token != null) {
      headers.put(
          Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    }
    CompletableFuture<Status> ended = new CompletableFuture<>();
    AtomicInteger replies = new AtomicInteger();
    ClientCall<Q, R> call = channel.newCall(row.method, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(R reply) {
            replies.incrementAndGet();
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.complete(status);
          }
        },
        headers);
    call.request(100);
    call.sendMessage(row.request.apply(catalog));
    call.halfClose();
    return new End(ended.get(1, TimeUnit.MINUTES), replies.get());
  }

  /** A method or an action that is new has to say here who may call it. */
  @Test
  void everyMethodAndActionHasItsRow() {
    Set<String> served = new TreeSet<>();
    FlightMethods.SERVICE
        .getMethods()
        .forEach(method -> served.add(String.valueOf(method.getBareMethodName())));
    served.remove("DoAction");
    for (FlightAction action : FlightAction.values()) {
      served.add("DoAction " + action.type());
    }
    Set<String> rows = new TreeSet<>(ROWS.keySet());
    rows.removeIf(row -> row.startsWith(LISTS));
    assertEquals(served, rows);
  }

  private static void refused(String call, @Nullable String token) throws Exception {
    End end = call(call, token, "main");
    assertEquals(Status.Code.UNAUTHENTICATED, end.status.getCode(), call + ": " + end.text());
    assertEquals(0, end.replies);
    assertEquals(List.of(), ingestor.principals, "no ingestor is asked");
    if (token != null && !token.isEmpty()) {
      assertFalse(end.text().contains(token), "a token is never repeated");
    }
  }

  @ParameterizedTest
  @MethodSource("calls")
  void nobodyIsLetInWithoutAGoodToken(String call) throws Exception {
    refused(call, null);
    refused(call, "");
    refused(call, "guessed");
    for (Flaw flaw : Flaw.values()) {
      refused(call, issuer.token("admin", flaw));
    }
  }

  /** Where a table is that isn't theirs, strangers are told what they are told where none is. */
  @ParameterizedTest
  @MethodSource("calls")
  void unknownAndForbiddenLookAlikeToAStranger(String call) throws Exception {
    for (String principal : List.of("stranger", "neighbour")) {
      End there = call(call, issuer.token(principal), "main");
      if (row(call).secret) {
        assertEquals(Status.Code.NOT_FOUND, there.status.getCode(), call + ": " + there.text());
        assertEquals(List.of(), ingestor.principals, "no ingestor is asked");
        End nowhere = call(call, issuer.token(principal), "nobody");
        assertEquals(there.text().replace("main", "nobody"), nowhere.text());
      } else {
        assertEquals(row(call).code, there.status.getCode(), call + ": " + there.text());
      }
      if (call.startsWith("ListFlights")) {
        assertEquals(0, there.replies);
      }
      if (call.startsWith(LISTS)) {
        assertEquals(List.of(), ingestor.principals, "no ingestor is asked");
        End nowhere = call(call, issuer.token(principal), "nobody");
        assertEquals(there, nowhere);
      }
    }
  }

  /** Another tenant's catalog can't hold up what isn't asked of it. */
  @Test
  void ingestorsListTheCatalogsThatTheCallerMayKnowOf() throws Exception {
    ingestor.lists.clear();
    End _ = call("ListFlights", issuer.token("stranger"), "main");
    assertEquals(List.of(), ingestor.lists);
    End _ = call("ListFlights", issuer.token("neighbour"), "main");
    End _ = call("ListFlights", issuer.token("read"), "main");
    End _ = call("ListFlights", issuer.token("everywhere"), "main");
    assertEquals(
        Arrays.asList(Set.of(new CatalogName("other")), Set.of(new CatalogName("main")), null),
        ingestor.lists.stream().map(ListDemand::within).toList());
  }

  @Test
  void listsTellWhoMayKnowWhatThereIs() throws Exception {
    for (String call : List.of("ListFlights", LISTS + "of a catalog", LISTS + "of a namespace")) {
      assertEquals(2, call(call, issuer.token("read"), "main").replies, call);
      assertEquals(2, call(call, issuer.token("everywhere"), "main").replies, call);
    }
    End unknown = call(LISTS + "of a catalog", issuer.token("everywhere"), "nobody");
    assertTrue(unknown.text().startsWith("NOT_FOUND catalog-unknown: "), unknown.text());
    End granted = call(LISTS + "of a namespace", issuer.token("shop"), "main");
    assertEquals(new End(granted.status, 0), granted);
    assertEquals(Status.Code.OK, granted.status.getCode(), granted.text());
    assertEquals(List.of(), ingestor.principals, "of namespace web nothing is granted to 'shop'");
  }

  @ParameterizedTest
  @MethodSource("calls")
  void whoHasTheRightMayAndWhoHasLessIsToldSo(String call) throws Exception {
    for (Privilege privilege : Privilege.values()) {
      End end = call(call, issuer.token(privilege.toString()), "main");
      String what = "%s by %s: %s".formatted(call, privilege, end.text());
      if (row(call).enough.contains(privilege)) {
        assertEquals(row(call).code, end.status.getCode(), what);
      } else {
        assertEquals(Status.Code.NOT_FOUND, end.status.getCode(), what);
        assertTrue(end.text().contains("forbidden: "), what);
        assertEquals(List.of(), ingestor.principals, "no ingestor is asked");
      }
    }
  }
}
