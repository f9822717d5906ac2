package io.wings.common.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import io.wings.common.wal.Operation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchMetadataTest {
  private static ByteBuffer json(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static StreamRequest stream(boolean named) {
    return new StreamRequest(
        "anonymous",
        new CatalogName("main"),
        List.of("web"),
        "t",
        "p",
        named,
        named ? 1L : null,
        1,
        0,
        null,
        Operation.INSERT,
        Create.NEVER,
        OnReject.FAIL,
        Ack.DURABLE);
  }

  @Test
  void emptyIsNone() {
    assertSame(BatchMetadata.NONE, BatchMetadata.of(ByteBuffer.allocate(0)));
  }

  @Test
  void readsEveryKey() {
    assertEquals(
        new BatchMetadata(17L, "kafka:3:98765", Operation.UPSERT),
        BatchMetadata.of(
            json("{\"sequence\":17,\"token\":\"kafka:3:98765\",\"operation\":\"upsert\"}")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"sequence\":0}",
        "{\"sequence\":-1}",
        "{\"sequence\":\"1\"}",
        "{\"sequence\":1,\"sequence\":2}",
        "{\"seq\":1}",
        "{\"operation\":\"INSERT\"}",
        "x",
        " "
      })
  void refusesWhatItDoesNotKnow(String text) {
    assertEquals(
        "request-invalid",
        assertThrows(WingsException.class, () -> BatchMetadata.of(json(text))).code());
  }

  @Test
  void tokenIsBounded() {
    String longest = "x".repeat(BatchMetadata.MAX_TOKEN_BYTES);
    assertEquals(longest, new BatchMetadata(1L, longest, null).token());
    assertThrows(WingsException.class, () -> new BatchMetadata(1L, longest + "x", null));
  }

  @Test
  void namedBatchesCarryASequenceAndUnnamedNone() {
    BatchMetadata with = new BatchMetadata(1L, null, null);
    assertSame(with, with.requireFor(stream(true)));
    assertSame(BatchMetadata.NONE, BatchMetadata.NONE.requireFor(stream(false)));
    assertEquals(
        "sequence-missing",
        assertThrows(WingsException.class, () -> BatchMetadata.NONE.requireFor(stream(true)))
            .code());
    assertEquals(
        "sequence-unexpected",
        assertThrows(WingsException.class, () -> with.requireFor(stream(false))).code());
  }

  @Test
  void writesWhatItReads() {
    BatchMetadata metadata = new BatchMetadata(3L, "t", null);
    assertEquals("{\"sequence\":3,\"token\":\"t\"}", metadata.toJson().toStringUtf8());
    assertTrue(metadata.equals(BatchMetadata.of(metadata.toJson().asReadOnlyByteBuffer())));
  }
}
