package io.wings.common.flight;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Position;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.wal.SequenceRange;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.Test;

class ActionBodyTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final List<String> WEB = List.of("web");

  @Test
  void bodiesTravelUnchanged() throws Exception {
    JsonMapper json = new JsonMapper();
    for (ActionBody body :
        List.of(
            new ActionBody.CreateTable(
                MAIN,
                WEB,
                "t",
                "AAEC",
                json.readTree("{\"spec-id\":0,\"fields\":[]}"),
                json.readTree("{\"order-id\":0,\"fields\":[]}"),
                Map.of("wings.commit-interval", "5s")),
            new ActionBody.DescribeTable(MAIN, WEB, "t"),
            new ActionBody.DropTable(MAIN, WEB, "t"),
            new ActionBody.OpenProducer(MAIN, WEB, "t", "p"),
            new ActionBody.Flush(MAIN, WEB, "t", null),
            new ActionBody.Flush(MAIN, WEB, "t", 98),
            new ActionBody.AwaitVisible(MAIN, WEB, "t", "f".repeat(32), 0, 12, 5000))) {
      assertEquals(body, ActionBody.of(body.toAction()));
    }
    assertArrayEquals(
        new byte[] {0, 1, 2},
        new ActionBody.CreateTable(MAIN, WEB, "t", "AAEC", null, null, Map.of()).schemaMessage());
  }

  @Test
  void repliesTravelUnchanged() {
    for (ActionReply reply :
        List.of(
            new ActionReply.TableDescription(
                new UUID(1, 2), "f".repeat(32), 1, List.of(7L), "s3://b/m.json", "AAEC"),
            new ActionReply.TableDescription(
                new UUID(1, 2), null, 1, List.of(), "s3://b/m.json", "AAEC"),
            new ActionReply.Dropped(new UUID(1, 2)),
            new ActionReply.ProducerOpened(7, 3, "t", 0, List.of(new SequenceRange(1, 2)), 0),
            new ActionReply.Flushed(List.of(new Position("f".repeat(32), 0, 9))),
            new ActionReply.Visible(ActionReply.VisibleStatus.VISIBLE, 5L),
            new ActionReply.Visible(ActionReply.VisibleStatus.PASSED, null))) {
      assertEquals(reply, ActionReply.of(reply.getClass(), reply.toResult().getBody()));
    }
  }

  private static WingsException refused(String type, String body) {
    Flight.Action action =
        Flight.Action.newBuilder().setType(type).setBody(ByteString.copyFromUtf8(body)).build();
    return assertThrows(WingsException.class, () -> ActionBody.of(action));
  }

  @Test
  void refusesUnknownActionsKeysAndValues() {
    String table = "\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"";
    WingsException unknown = refused("describe-tabel", "{" + table + "}");
    assertEquals("action-unknown", unknown.code());
    assertTrue(String.valueOf(unknown.getMessage()).contains("did you mean 'describe-table'?"));
    assertEquals("request-invalid", refused("describe-table", "{" + table + ",\"x\":1}").code());
    assertEquals("request-invalid", refused("flush", "").code());
    assertEquals("request-invalid", refused("producer-state", "{" + table + "}").code());
    assertEquals(
        "request-invalid",
        refused("create-table", "{" + table + ",\"schema\":\"not base64!\"}").code());
    assertEquals(
        "request-invalid",
        refused("await-visible", "{" + table + ",\"incarnation\":\"f\",\"lane\":0,\"position\":1}")
            .code());
    assertEquals(
        "request-invalid",
        refused(
                "await-visible",
                "{" + table + ",\"incarnation\":\"f\",\"lane\":0,\"position\":1,\"timeout_ms\":-1}")
            .code());
  }

  @Test
  void listRequestsTravelUnchanged() {
    for (ListRequest request :
        List.of(
            ListRequest.ALL, new ListRequest(MAIN, null), new ListRequest(MAIN, List.of("web")))) {
      assertEquals(request, ListRequest.of(request.toCriteria()));
    }
    assertThrows(WingsException.class, () -> new ListRequest(null, WEB));
  }

  @Test
  void olderIngestorsPassOverTheCatalogsThatAListIsAskedOf() throws Exception {
    Set<CatalogName> within = Set.of(MAIN, new CatalogName("other"));
    ListDemand demand = new ListDemand(ListRequest.ALL, within);
    Flight.Criteria sent = Flight.Criteria.parseFrom(demand.toCriteria().toByteArray());
    assertEquals(demand, ListDemand.of(sent));
    assertEquals(ListRequest.ALL, ListRequest.of(sent), "as a version without it reads it");
    ListDemand all = new ListDemand(new ListRequest(MAIN, WEB), null);
    assertEquals(all, ListDemand.of(all.toCriteria()));
    assertEquals(all, ListDemand.of(all.request().toCriteria()), "of an older load balancer");
  }

  @Test
  void rolesKnowEachOtherByTheClusterToken() {
    ClusterIdentity identity = new ClusterIdentity("secret");
    assertEquals(
        new ClusterIdentity.Caller("Zoë + co: 1%", "unknown"),
        identity.caller(identity.headers("Zoë + co: 1%")));
    assertEquals(
        new ClusterIdentity.Caller("Zoë", "fe80::1%eth0"),
        identity.caller(identity.headers("Zoë", "fe80::1%eth0")));
    for (Metadata headers :
        List.of(new Metadata(), new ClusterIdentity("other").headers("anonymous"))) {
      assertEquals(
          ErrorKind.UNAUTHENTICATED,
          assertThrows(WingsException.class, () -> identity.caller(headers)).kind());
    }
    assertTrue(!identity.toString().contains("secret"));
    assertThrows(WingsException.class, () -> new ClusterIdentity(" "));
  }
}
