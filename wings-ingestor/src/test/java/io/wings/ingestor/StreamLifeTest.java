package io.wings.ingestor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Metadata;
import io.grpc.Status;
import io.wings.common.error.WingsException;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.StreamMove;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamRequest;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.Time;
import io.wings.ingestor.stream.Corpus;
import io.wings.ingestor.stream.Frames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to streams whose client, store, table or ingestor doesn't behave. */
@Timeout(60)
class StreamLifeTest {
  private static final int MANY = 20_000;

  private final Broken broken = new Broken();
  private final IngestorKit kit =
      new IngestorKit(new FaultyStore(new MemoryStore(), broken, Time.system()), quickLookups());

  /** Decides what goes wrong with segments. */
  private static final class Broken implements Faults {
    volatile Fault always = new Fault.None();
    final AtomicInteger puts = new AtomicInteger();
    volatile int everyThird;

    @Override
    public Fault onPut(String key, PutCondition condition) {
      if (!key.endsWith(".wal")) {
        return new Fault.None();
      }
      int put = puts.incrementAndGet();
      return everyThird > 0 && put % 3 == 0 ? new Fault.FailAfter() : always;
    }
  }

  private static IngestorSettings quickLookups() {
    IngestorSettings given = IngestorKit.settings();
    return new IngestorSettings(
        given.listen(),
        given.identity(),
        given.transport(),
        given.lanes(),
        given.streams(),
        Duration.ofMillis(50),
        given.calls(),
        given.decoding(),
        given.dictionaries(),
        given.inbound(),
        given.stopGrace());
  }

  @AfterEach
  void close() {
    kit.close();
  }

  private static void assertEnds(PutClient put, Status.Code code, String error) {
    Status end = put.end();
    assertEquals(code, end.getCode(), end.toString());
    assertTrue(String.valueOf(end.getDescription()).startsWith(error + ": "), end.toString());
  }

  private static void send(PutClient put, Frames batch) throws InterruptedException {
    while (!put.isReady() && !put.hasEnded()) {
      Thread.sleep(1);
    }
    put.send(batch);
  }

  /** Trap 21: memory grows with unread results, or the stream deadlocks. */
  @Test
  void aClientThatNeverReadsNeitherBlocksTheStreamNorCostsMoreThanARange() throws Exception {
    kit.createTable();
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema());
    put.opened();
    put.stopReading();
    Frames batch = Batches.ids(1);
    for (int i = 0; i < MANY; i++) {
      send(put, batch);
    }
    put.halfClose();
    while (kit.entries("t").size() < MANY) {
      Thread.sleep(20);
    }
    put.readOn();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(MANY, put.count(BatchStatus.DURABLE));
  }

  /** P1: no answer before the batch is in the store. */
  @Test
  void answersNothingWhileTheStoreFailsAndGoesOnWhenItHeals() throws Exception {
    kit.createTable();
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema());
    put.opened();
    broken.always = new Fault.FailBefore();
    put.send(Batches.ids(1)).halfClose();
    while (broken.puts.get() < 2) {
      Thread.sleep(5);
    }
    assertFalse(put.hasEnded());
    assertEquals(List.of(), put.answers());
    broken.always = new Fault.None();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(List.of("1-1 durable"), put.answers());
    assertEquals(1, kit.entries("t").size());
  }

  /** P6: a put that landed and looked failed is neither lost nor stored twice. */
  @Test
  void storesEachBatchOnceThoughEveryThirdPutLosesItsAnswer() throws Exception {
    kit.createTable();
    broken.everyThird = 1;
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema());
    for (int i = 1; i <= 20; i++) {
      put.send(Batches.ids(i));
      Thread.sleep(5);
    }
    put.halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(20, put.count(BatchStatus.DURABLE) + put.count(BatchStatus.DUPLICATE));
    assertEquals(20, kit.stored("t", "id").size());
  }

  /** Trap 35: a batch must not go into the next table of its name. */
  @Test
  void aStreamEndsWhenItsTableIsReplaced() throws Exception {
    kit.createTable();
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema()).send(Batches.ids(1));
    assertEquals(1, put.results(1).size());
    kit.catalog.dropTable(TableIdentifier.of("db", "t"));
    kit.createTable();
    for (int i = 0; i < 50 && !put.hasEnded(); i++) {
      send(put, Batches.ids(2));
      Thread.sleep(20);
    }
    assertTrue(put.hasEnded(), "goes on in the log of the table that is gone");
    assertEquals(Status.Code.NOT_FOUND, put.end().getCode());
    PutClient next = kit.put(IngestorKit.request()).send(Batches.schema()).send(Batches.ids(3));
    next.halfClose();
    assertEquals(Status.Code.OK, next.end().getCode());
    assertEquals(1, kit.entries("t").size());
  }

  /** P2: it is the same log, whatever its table is called. */
  @Test
  void aProducerGoesOnUnderTheNewNameOfARenamedTable() throws Exception {
    kit.createTable();
    ActionClient actions = new ActionClient(kit.channel);
    long epoch = actions.openProducer("loader").epoch();
    PutClient old = kit.put(IngestorKit.request().named("loader", epoch)).send(Batches.schema());
    old.send(Batches.ids(1), "{\"sequence\":1}");
    assertEquals(1, old.results(1).size());
    var log = kit.lane("t");
    kit.catalog.renameTable(TableIdentifier.of("db", "t"), TableIdentifier.of("db", "renamed"));
    PutClient now =
        kit.put(IngestorKit.request().table("renamed").named("loader", epoch))
            .send(Batches.schema());
    now.send(Batches.ids(1), "{\"sequence\":1}").send(Batches.ids(2), "{\"sequence\":2}");
    now.halfClose();
    assertEquals(Status.Code.OK, now.end().getCode());
    assertEquals(List.of("1-1 duplicate", "2-2 durable"), now.answers());
    assertEquals(log, kit.lane("renamed"));
    while (!old.hasEnded()) {
      old.send(Batches.ids(1), "{\"sequence\":1}");
      Thread.sleep(20);
    }
    assertEnds(old, Status.Code.NOT_FOUND, "table-not-found");
  }

  @Test
  void aStreamFollowsItsTablesSchema() throws Exception {
    Table table = kit.createTable();
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema()).send(Batches.ids(1));
    assertEquals(1, put.results(1).size());
    table.refresh();
    table.updateSchema().addColumn("added", Types.IntegerType.get()).commit();
    for (int i = 0; kit.entries("t").size() < 10; i++) {
      send(put, Batches.ids(i));
      Thread.sleep(20);
    }
    put.halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    table.updateSchema().deleteColumn("name").commit();
    PutClient gone = kit.put(IngestorKit.request()).send(Batches.schema());
    assertEnds(gone, Status.Code.INVALID_ARGUMENT, "schema-mismatch");
  }

  @Test
  void aStreamGoesOnWhileTheCatalogDoesNotAnswer() throws Exception {
    kit.createTable();
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema()).send(Batches.ids(1));
    assertEquals(1, put.results(1).size());
    kit.catalogFailure = WingsException.unavailable("catalog-unavailable", "test", null);
    for (int i = 0; i < 10; i++) {
      put.send(Batches.ids(i));
      Thread.sleep(20);
    }
    put.halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(11, kit.entries("t").size());
  }

  /** What the log says is the answer, in the words of the first time. */
  @Test
  void aBatchThatIsSentAgainIsAnsweredByTheLog() throws Exception {
    kit.createTable();
    StreamRequest request = IngestorKit.request().build();
    PutClient first = kit.put(request).send(Batches.schema()).send(Batches.ids(1));
    StreamOpened opened = first.opened();
    assertEquals(1, first.results(1).size());
    PutClient second =
        kit.put(request.resumed(1, null, new StreamRequest.Resumption(opened, 2)))
            .send(Batches.schema())
            .send(Batches.ids(1))
            .send(Batches.ids(2))
            .send(Batches.ids(3));
    assertEquals(opened, second.opened());
    second.halfClose();
    assertEquals(Status.Code.OK, second.end().getCode());
    assertEquals(3, kit.entries("t").size());
    second.results(1).forEach(result -> assertEquals(BatchStatus.DURABLE, result.status()));
    PutClient elsewhere =
        kit.put(
                request.resumed(
                    4,
                    null,
                    new StreamRequest.Resumption(
                        new StreamOpened(
                            new java.util.UUID(1, 2), opened.incarnation(), 0, opened.epoch()),
                        3)))
            .send(Batches.schema())
            .halfClose();
    assertEnds(elsewhere, Status.Code.NOT_FOUND, "table-replaced");
  }

  /** Trap 35: what is sent again is answered by the log, though it would be refused by now. */
  @Test
  void batchesThatTheLogHasAreAnsweredThoughTheSchemaNoLongerFits() throws Exception {
    Table table = kit.createTable();
    StreamRequest request = IngestorKit.request().build();
    PutClient first = kit.put(request).send(Batches.schema());
    first.send(Batches.ids(1)).send(Batches.ids(2));
    StreamOpened opened = first.opened();
    assertEquals(2, first.results(2).size());
    table.refresh();
    table.updateSchema().deleteColumn("name").commit();
    StreamRequest again = request.resumed(1, null, new StreamRequest.Resumption(opened, 3));
    PutClient second = kit.put(again).send(Batches.schema());
    assertEquals(opened, second.opened());
    second.send(Batches.ids(1)).send(Batches.ids(2));
    assertEquals(2, second.results(2).size());
    second.send(Batches.ids(3));
    assertEnds(second, Status.Code.INVALID_ARGUMENT, "schema-mismatch");
    assertEquals(List.of("1-1 durable", "2-2 durable"), second.answers());
    PutClient nothingLeft = kit.put(again).send(Batches.schema()).halfClose();
    assertEquals(Status.Code.OK, nothingLeft.end().getCode(), nothingLeft.end().toString());
    assertEquals(2, kit.entries("t").size());
  }

  /**
   * P6: another ingestor may have taken what is sent again, and its put may land after the log was
   * asked; a definite refusal is one that it can't get past.
   */
  @Test
  void whatWasRefusedWhenSentAgainIsNotStoredLater() throws Exception {
    kit.createTable();
    StreamRequest request = IngestorKit.request().build();
    PutClient first = kit.put(request).send(Batches.schema()).send(Batches.ids(1));
    StreamOpened opened = first.opened();
    assertEquals(1, first.results(1).size());
    StreamRequest again = request.resumed(2, null, new StreamRequest.Resumption(opened, 2));
    PutClient second = kit.put(again).send(Batches.schema()).send(Batches.withoutId());
    assertEnds(second, Status.Code.INVALID_ARGUMENT, "null-in-required-column");
    // What the first ingestor still had in hand.
    first.send(Batches.ids(2));
    assertEquals(BatchStatus.REJECTED, first.results(2).getLast().status());
    assertEquals(1, kit.entries("t").size());
    PutClient third =
        kit.put(request.resumed(2, null, new StreamRequest.Resumption(opened, 3)))
            .send(Batches.schema())
            .send(Batches.withoutId());
    assertEnds(third, Status.Code.INVALID_ARGUMENT, "rejected-before");
  }

  /** The same of those behind it: a client without a name sends them again under another. */
  @Test
  void whatWasBehindABatchThatIsRefusedIsNotStoredLater() throws Exception {
    kit.createTable();
    StreamRequest request = IngestorKit.request().build();
    PutClient first = kit.put(request).send(Batches.schema()).send(Batches.ids(1));
    StreamOpened opened = first.opened();
    assertEquals(1, first.results(1).size());
    StreamRequest again = request.resumed(2, null, new StreamRequest.Resumption(opened, 4));
    PutClient second = kit.put(again).send(Batches.schema()).send(Batches.withoutId());
    assertEnds(second, Status.Code.INVALID_ARGUMENT, "null-in-required-column");
    first.send(Batches.ids(2)).send(Batches.ids(3)).send(Batches.ids(4)).send(Batches.ids(5));
    assertEquals(5, first.results(5).size());
    assertEquals(
        List.of(
            BatchStatus.DURABLE,
            BatchStatus.REJECTED,
            BatchStatus.REJECTED,
            BatchStatus.REJECTED,
            BatchStatus.DURABLE),
        first.results(5).stream().map(BatchResult::status).toList());
  }

  /** What the log has by then is the answer, and the stream goes on. */
  @Test
  void whatWasStoredBeforeItCouldBeRefusedIsAnswered() throws Exception {
    kit.createTable();
    StreamRequest request = IngestorKit.request().build();
    PutClient first = kit.put(request).send(Batches.schema()).send(Batches.ids(1));
    StreamOpened opened = first.opened();
    assertEquals(1, first.results(1).size());
    PutClient second =
        kit.put(request.resumed(2, null, new StreamRequest.Resumption(opened, 2)))
            .send(Batches.schema());
    assertEquals(opened, second.opened());
    first.send(Batches.ids(2));
    assertEquals(2, first.results(2).size());
    second.send(Batches.withoutId()).send(Batches.ids(3)).halfClose();
    assertEquals(Status.Code.OK, second.end().getCode(), second.end().toString());
    assertEquals(3, kit.entries("t").size());
  }

  /** The epoch of a stream whose open reply was lost is what the log knows of its name. */
  @Test
  void aStreamWhoseOpenReplyWasLostGoesOnInItsEpoch() throws Exception {
    StreamRequest request = IngestorKit.request().createIfMissing().build();
    PutClient first = kit.put(request).send(Batches.schema()).send(Batches.ids(1));
    StreamOpened opened = first.opened();
    assertEquals(1, first.results(1).size());
    PutClient other = kit.put(IngestorKit.request().unnamed("drawn-2", 1)).send(Batches.schema());
    other.send(Batches.ids(9)).halfClose();
    assertEquals(Status.Code.OK, other.end().getCode());
    PutClient second =
        kit.put(request.resumed(1, null, new StreamRequest.Resumption(null, 1)))
            .send(Batches.schema());
    assertEquals(opened, second.opened(), "not the head of now, which is higher");
    second.send(Batches.ids(1)).send(Batches.ids(2)).halfClose();
    assertEquals(Status.Code.OK, second.end().getCode());
    assertEquals(2, second.count(BatchStatus.DURABLE));
    assertEquals(3, kit.entries("t").size());
  }

  /** Trap 15: the first ingestor's table was dropped; another one of its name isn't meant. */
  @Test
  void aStreamThatWasOpenMakesNoTableAnew() throws Exception {
    StreamRequest request = IngestorKit.request().createIfMissing().build();
    PutClient first = kit.put(request).send(Batches.schema()).send(Batches.ids(1));
    StreamOpened opened = first.opened();
    assertEquals(1, first.results(1).size());
    kit.catalog.dropTable(TableIdentifier.of("db", "t"));
    PutClient second =
        kit.put(request.resumed(2, null, new StreamRequest.Resumption(opened, 2)))
            .send(Batches.schema())
            .send(Batches.ids(2));
    assertEnds(second, Status.Code.NOT_FOUND, "table-not-found");
    assertFalse(kit.tableExists("t"));
  }

  @Test
  void asksStreamsToMoveAndAnswersThemWhenItStops() throws Exception {
    kit.createTable();
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema()).send(Batches.ids(1));
    put.opened();
    kit.server.close();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(StreamMove.Reason.DRAIN, put.moved);
    assertEquals(1, put.results(1).size());
    assertFalse(kit.readiness.isReady());
  }

  @Test
  void forgetsAStreamWhoseClientWentAway() throws Exception {
    kit.createTable();
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema());
    put.opened();
    put.cancel();
    while (kit.registry.get("wings.ingestor.calls.open").gauge().value() > 0) {
      Thread.sleep(5);
    }
    assertEquals(Status.Code.CANCELLED, put.end().getCode());
  }

  @Test
  void refusesCallersThatAreNoRoleOfTheCluster() {
    Metadata other = new ClusterIdentity("another-secret").headers(IngestorKit.PRINCIPAL);
    PutClient put = new PutClient(kit.channel, IngestorKit.request().build(), other);
    assertEnds(put, Status.Code.UNAUTHENTICATED, "unauthenticated");
    PutClient none = new PutClient(kit.channel, IngestorKit.request().build(), new Metadata());
    assertEnds(none, Status.Code.UNAUTHENTICATED, "unauthenticated");
    PutClient posing =
        new PutClient(
            kit.channel, IngestorKit.request().build(), IngestorKit.IDENTITY.headers("mallory"));
    posing.send(Batches.schema());
    assertEnds(posing, Status.Code.UNAUTHENTICATED, "unauthenticated");
  }

  @Test
  void refusesHostileStreamsMakesNoTableAndServesTheNext() throws Exception {
    List<String> accepted = new ArrayList<>();
    for (Path file : Corpus.files("arrow-hostile", "")) {
      PutClient put = kit.put(IngestorKit.request().table("hostile").createIfMissing());
      put.sendAll(Frames.cut(Files.readAllBytes(file))).halfClose();
      Status end = put.end();
      if (end.getCode() != Status.Code.INVALID_ARGUMENT) {
        accepted.add(file.getFileName() + ": " + end);
      }
      assertFalse(kit.tableExists("hostile"), file.toString());
    }
    assertEquals(List.of(), accepted);
    PutClient good = kit.put(IngestorKit.request().table("good").createIfMissing());
    good.send(Batches.schema()).send(Batches.ids(1)).halfClose();
    assertEquals(Status.Code.OK, good.end().getCode());
    assertEquals(0.0, kit.registry.get("wings.ingestor.decoding.bytes").gauge().value());
    assertEquals(0.0, kit.registry.get("wings.ingestor.dictionaries.bytes").gauge().value());
  }
}
