package io.wings.ingestor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.wal.SequenceRange;
import io.wings.ingestor.stream.Frames;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Producers that their client named, and those that the load balancer did. */
class ProducerTest {
  private final IngestorKit kit = new IngestorKit();
  private final ActionClient actions = new ActionClient(kit.channel);

  @BeforeEach
  void createTable() {
    kit.createTable();
  }

  @AfterEach
  void close() {
    kit.close();
  }

  private PutClient put(String producer, long epoch) {
    return kit.put(IngestorKit.request().named(producer, epoch)).send(Batches.schema());
  }

  private static String sequence(long sequence) {
    return "{\"sequence\":" + sequence + "}";
  }

  private static void assertEnds(PutClient put, Status.Code code, String error) {
    Status end = put.end();
    assertEquals(code, end.getCode(), end.toString());
    assertTrue(String.valueOf(end.getDescription()).startsWith(error + ": "), end.toString());
  }

  private List<Object> ids(long... ids) {
    return Arrays.stream(ids).<Object>mapToObj(BigDecimal::new).toList();
  }

  @Test
  void tellsWhereAProducerGoesOn() {
    ActionReply.ProducerOpened first = actions.openProducer("loader");
    assertEquals(0, first.sequence());
    PutClient put = put("loader", first.epoch());
    put.send(Batches.ids(1), "{\"sequence\":1,\"token\":\"kafka:0:10\"}");
    put.send(Batches.ids(2), "{\"sequence\":2,\"token\":\"kafka:0:11\"}").halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    ActionReply.ProducerOpened again = actions.openProducer("loader");
    assertEquals(2, again.sequence());
    assertEquals("kafka:0:11", again.token());
    assertTrue(again.epoch() > first.epoch());
  }

  @Test
  void answersWhatWasStoredBeforeDuplicateAndStoresItOnce() throws Exception {
    long epoch = actions.openProducer("loader").epoch();
    PutClient put = put("loader", epoch);
    put.send(Batches.ids(1), sequence(1)).send(Batches.ids(2), sequence(2)).halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    PutClient again = put("loader", epoch);
    again.send(Batches.ids(1), sequence(1)).send(Batches.ids(2), sequence(2));
    again.send(Batches.ids(3), sequence(3)).halfClose();
    assertEquals(Status.Code.OK, again.end().getCode());
    assertEquals(2, again.count(BatchStatus.DUPLICATE));
    assertEquals(1, again.count(BatchStatus.DURABLE));
    assertEquals(ids(1, 2, 3), kit.stored("t", "id"));
  }

  @Test
  void refusesAGapAndNamesTheExpectedSequence() {
    PutClient put = put("loader", actions.openProducer("loader").epoch());
    put.send(Batches.ids(1), sequence(1)).send(Batches.ids(3), sequence(3)).halfClose();
    assertEnds(put, Status.Code.INVALID_ARGUMENT, "sequence-gap");
    assertTrue(String.valueOf(put.end().getDescription()).contains("2"), put.end().toString());
    assertEquals(List.of("1-1 durable"), put.answers());
  }

  @Test
  void fencesAnOlderEpoch() {
    long old = actions.openProducer("loader").epoch();
    PutClient before = put("loader", old);
    long current = actions.openProducer("loader").epoch();
    before.send(Batches.ids(1), sequence(1));
    assertEnds(before, Status.Code.INVALID_ARGUMENT, "producer-fenced");
    PutClient now = put("loader", current);
    now.send(Batches.ids(2), sequence(1)).halfClose();
    assertEquals(Status.Code.OK, now.end().getCode());
    assertEquals(ids(2), kit.stored("t", "id"));
  }

  @Test
  void refusesABatchOfANamedStreamWithoutASequence() {
    PutClient put = put("loader", actions.openProducer("loader").epoch());
    put.send(Batches.ids(1));
    assertEnds(put, Status.Code.INVALID_ARGUMENT, "sequence-missing");
  }

  @Test
  void refusesASequenceWithoutAProducer() {
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema());
    put.send(Batches.ids(1), sequence(1));
    assertEnds(put, Status.Code.INVALID_ARGUMENT, "sequence-unexpected");
  }

  /** Trap 32: a rejected sequence, corrected, is answered duplicate. */
  @Test
  void aRejectedSequenceStaysRejectedAndACorrectionTakesANewOne() throws Exception {
    long epoch = actions.openProducer("loader").epoch();
    PutClient put =
        kit.put(IngestorKit.request().named("loader", epoch).reportRejects())
            .send(Batches.schema());
    put.send(Batches.ids(1), sequence(1));
    put.send(Batches.withoutId(), sequence(2));
    put.send(Batches.ids(3), sequence(3)).halfClose();
    assertEnds(put, Status.Code.INVALID_ARGUMENT, "batches-rejected");
    BatchResult rejected =
        put.results(1).stream()
            .filter(r -> r.status() == BatchStatus.REJECTED)
            .findFirst()
            .orElseThrow();
    assertEquals(2, rejected.sequence());
    assertTrue(
        String.valueOf(rejected.reason())
            .startsWith("null-in-required-column: column \"id\", row 0"),
        rejected.toString());

    ActionReply.ProducerOpened state = actions.openProducer("loader");
    assertEquals(3, state.sequence());
    assertEquals(List.of(new SequenceRange(2, 2)), state.rejected());
    PutClient corrected = put("loader", state.epoch());
    corrected.send(Batches.ids(2), sequence(2));
    corrected.send(Batches.ids(2), sequence(4)).halfClose();
    assertEnds(corrected, Status.Code.INVALID_ARGUMENT, "batches-rejected");
    assertEquals(List.of("2-2 rejected", "4-4 durable"), corrected.answers());
    assertEquals(ids(1, 3, 2), kit.stored("t", "id"));
  }

  @Test
  void aBadBatchEndsTheStreamAfterEverythingBeforeWasAnsweredAndConsumesNothing() {
    long epoch = actions.openProducer("loader").epoch();
    PutClient put = put("loader", epoch);
    put.send(Batches.ids(1), sequence(1)).send(Batches.withoutId(), sequence(2));
    assertEnds(put, Status.Code.INVALID_ARGUMENT, "null-in-required-column");
    assertEquals(List.of("1-1 durable"), put.answers());
    PutClient corrected = put("loader", epoch);
    corrected.send(Batches.ids(2), sequence(2)).halfClose();
    assertEquals(Status.Code.OK, corrected.end().getCode());
    assertEquals(ids(1, 2), kit.stored("t", "id"));
  }

  /** Trap 35: a re-sent batch is answered by what the log says, not by a new validation. */
  @Test
  void aBatchThatIsSentAgainIsNotHeldAgainstWhatIsValidNow() {
    long epoch = actions.openProducer("loader").epoch();
    PutClient put = put("loader", epoch);
    put.send(Batches.ids(1), sequence(1)).halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    PutClient again = put("loader", epoch);
    Frames bad = Batches.withoutId();
    again.send(bad, sequence(1)).send(Batches.ids(2), sequence(2)).halfClose();
    assertEquals(Status.Code.OK, again.end().getCode());
    assertEquals(List.of("1-1 duplicate", "2-2 durable"), again.answers());
    assertEquals(ids(1, 2), kit.stored("t", "id"));
  }

  @Test
  void numbersAnUnnamedStreamFromItsFirstSequence() throws Exception {
    PutClient put = kit.put(IngestorKit.request().unnamed("drawn-7", 1)).send(Batches.schema());
    put.send(Batches.ids(1)).send(Batches.ids(2)).halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(List.of(1L, 2L), kit.entries("t").stream().map(e -> e.sequence()).toList());
    assertEquals(2, put.count(BatchStatus.DURABLE));
  }
}
