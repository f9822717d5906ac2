package io.wings.common.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import io.wings.common.error.WingsException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StreamReplyTest {
  @Test
  void statusTellsRepliesApart() {
    for (StreamReply reply :
        List.of(
            new StreamOpened(new UUID(1, 2), "abc", 3, 40),
            new StreamMove(StreamMove.Reason.DRAIN),
            new StreamMove(StreamMove.Reason.CONTENTION),
            new BatchResult(1, 2, BatchStatus.DURABLE, "abc", 0, 7, null),
            new BatchResult(3, 3, BatchStatus.REJECTED, "abc", 0, 7, "bad: it is"))) {
      assertEquals(reply, StreamReply.of(reply.toPutResult().getAppMetadata()));
    }
  }

  @Test
  void moveIsReadableJson() {
    assertEquals(
        "{\"status\":\"move\",\"reason\":\"contention\"}",
        new StreamMove(StreamMove.Reason.CONTENTION).toPutResult().getAppMetadata().toStringUtf8());
  }

  @Test
  void refusesWhatNoIngestorSays() {
    for (String said :
        List.of(
            "",
            "[]",
            "{}",
            "{\"status\":\"move\"}",
            "{\"status\":\"move\",\"reason\":\"boredom\"}",
            "{\"status\":\"lost\"}")) {
      WingsException e =
          assertThrows(
              WingsException.class, () -> StreamReply.of(ByteString.copyFromUtf8(said)), said);
      assertEquals("request-invalid", e.code(), said);
    }
  }
}
