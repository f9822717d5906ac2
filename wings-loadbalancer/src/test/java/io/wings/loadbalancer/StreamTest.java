package io.wings.loadbalancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.protobuf.ByteString;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.StreamRequest;
import io.wings.common.wal.Operation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.Types;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** DoPut streams of the stock Java client. */
class StreamTest {
  private static final Schema SCHEMA =
      new Schema(List.of(Field.nullable("id", Types.MinorType.INT.getType())));

  @Test
  void passesStreamByPathAndItsResults() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      FlightClient client = balancer.client();
      List<BatchResult> results =
          put(balancer, client, FlightDescriptor.path("main", "web", "clicks"), 3);
      assertEquals(List.of(1L, 2L, 3L), results.stream().map(BatchResult::sequence).toList());
      assertEquals(1, ingestor.streams.size());
      StreamRequest request = ingestor.streams.getFirst();
      assertEquals("anonymous", request.principal());
      assertEquals("main.web.clicks", request.tableName().toString());
      assertFalse(request.named());
      assertEquals(32, request.producer().length());
      assertEquals(0, request.lane());
      assertEquals(Operation.INSERT, request.operation());
      assertNull(request.epoch());
    }
  }

  private static List<BatchResult> put(
      Balancer balancer, FlightClient client, FlightDescriptor descriptor, int batches)
      throws Exception {
    List<BatchResult> results = new ArrayList<>();
    try (VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, balancer.allocator);
        SyncPutListener listener = new SyncPutListener()) {
      FlightClient.ClientStreamListener stream = client.startPut(descriptor, root, listener);
      for (int i = 0; i < batches; i++) {
        ((IntVector) root.getVector(0)).setSafe(0, i);
        root.setRowCount(1);
        stream.putNext();
      }
      stream.completed();
      for (PutResult result = listener.read(); result != null; result = listener.read()) {
        byte[] json = new byte[(int) result.getApplicationMetadata().readableBytes()];
        result.getApplicationMetadata().getBytes(0, json);
        results.add(BatchResult.of(ByteString.copyFrom(json)));
        result.close();
      }
      listener.getResult();
    }
    return results;
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
