package io.wings.common.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.wal.Operation;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StreamRequestTest {
  private static StreamRequest request(boolean named, @Nullable Long epoch, int lane) {
    return new StreamRequest(
        "prinzipál",
        new CatalogName("main"),
        List.of("web", "raw"),
        "clicks",
        "p-1",
        named,
        epoch,
        1,
        lane,
        null,
        Operation.INSERT,
        Create.IF_MISSING,
        OnReject.REPORT,
        Ack.DURABLE);
  }

  @Test
  void travelsUnchanged() {
    for (StreamRequest request : List.of(request(true, 7L, 3), request(false, null, 0))) {
      assertEquals(request, StreamRequest.of(request.toDescriptor()));
    }
  }

  @Test
  void resumesWithItsPlaceAndItsResends() {
    StreamOpened opened = new StreamOpened(new UUID(1, 2), "abc", 3, 40);
    for (StreamRequest.Resumption resumption :
        List.of(new StreamRequest.Resumption(opened, 9), new StreamRequest.Resumption(null, 1))) {
      StreamRequest again = request(false, null, 3).resumed(6, null, resumption);
      assertEquals(again, StreamRequest.of(again.toDescriptor()));
      assertEquals(6, again.firstSequence());
      assertEquals(resumption, again.resumption());
    }
    assertThrows(WingsException.class, () -> new StreamRequest.Resumption(opened, -1));
  }

  @Test
  void isReadableJson() {
    assertEquals(
        "{\"principal\":\"prinzipál\",\"catalog\":\"main\",\"namespace\":[\"web\",\"raw\"],"
            + "\"table\":\"clicks\",\"producer\":\"p-1\",\"named\":true,\"epoch\":7,"
            + "\"first_sequence\":1,\"lane\":3,\"operation\":\"insert\","
            + "\"create\":\"if-missing\",\"on_reject\":\"report\",\"ack\":\"durable\"}",
        request(true, 7L, 3).toJson().toStringUtf8());
  }

  /** As the version before sent it: ingestors are upgraded first. */
  @Test
  void takesTheAwaitedRangesOfAnOlderLoadBalancer() {
    String json =
        "{\"principal\":\"p\",\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"clicks\","
            + "\"producer\":\"p-1\",\"named\":false,\"first_sequence\":3,\"lane\":0,"
            + "\"operation\":\"insert\",\"create\":\"never\",\"on_reject\":\"fail\",\"ack\":\"visible\","
            + "\"awaiting\":{\"incarnation\":\"abc\",\"ranges\":"
            + "[{\"sequence\":1,\"through\":2,\"position\":9}]}}";
    StreamRequest request =
        StreamRequest.of(
            Flight.FlightDescriptor.newBuilder()
                .setType(Flight.FlightDescriptor.DescriptorType.CMD)
                .setCmd(ByteString.copyFromUtf8(json))
                .build());
    assertEquals(
        new StreamRequest.Awaiting("abc", List.of(new AwaitedRange(1, 2, 9))), request.awaiting());
  }

  @Test
  void refusesNamedWithoutEpochAndLanesOutOfRange() {
    assertThrows(WingsException.class, () -> request(true, null, 0));
    assertThrows(WingsException.class, () -> request(false, 1L, 0));
    assertThrows(WingsException.class, () -> request(true, 1L, 99));
    assertThrows(WingsException.class, () -> request(true, 1L, -1));
  }

  @Test
  void refusesWhatNoLoadBalancerSends() {
    Flight.FlightDescriptor path =
        Flight.FlightDescriptor.newBuilder()
            .setType(Flight.FlightDescriptor.DescriptorType.PATH)
            .addAllPath(List.of("main", "web", "t"))
            .build();
    assertThrows(WingsException.class, () -> StreamRequest.of(path));
    Flight.FlightDescriptor client =
        new TableName(new CatalogName("main"), List.of("web"), "t").toDescriptor();
    assertThrows(WingsException.class, () -> StreamRequest.of(client));
  }

  /** What a newer load balancer asks for must not be passed over; another ingestor may do it. */
  @Test
  void whatANewerLoadBalancerAsksForIsLeftToAnotherIngestor() {
    ByteString more =
        ByteString.copyFromUtf8(
            request(true, 7L, 3).toJson().toStringUtf8().replace("{", "{\"hence\":1,"));
    Flight.FlightDescriptor newer =
        Flight.FlightDescriptor.newBuilder()
            .setType(Flight.FlightDescriptor.DescriptorType.CMD)
            .setCmd(more)
            .build();
    WingsException error = assertThrows(WingsException.class, () -> StreamRequest.of(newer));
    assertEquals("request-newer", error.code());
    assertEquals(ErrorKind.UNAVAILABLE, error.kind());
  }

  @Test
  void whatANewerIngestorTellsBesideIsPassedOver() {
    StreamOpened opened = new StreamOpened(new UUID(1, 2), "0".repeat(32), 0, 5);
    String json = opened.toPutResult().getAppMetadata().toStringUtf8();
    assertEquals(
        opened, StreamOpened.of(ByteString.copyFromUtf8(json.replace("{", "{\"more\":[1],"))));
  }
}
