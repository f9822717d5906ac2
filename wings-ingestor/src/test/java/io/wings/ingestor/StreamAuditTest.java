package io.wings.ingestor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.grpc.Status;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.grant.Audit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Section 12: what streams do to tables is noted like what clients ask for by name. */
@Isolated
@Timeout(60)
class StreamAuditTest {
  private static final String CLIENT = "10.0.3.7";

  private final IngestorKit kit = new IngestorKit();
  private final Logger audit = (Logger) LoggerFactory.getLogger(Audit.LOG);

  /** The lines, each with whether its table was there already. */
  private final List<String> noted = new CopyOnWriteArrayList<>();

  /** At each line, whether {@code t} was. */
  private final List<Boolean> adopted = new CopyOnWriteArrayList<>();

  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          noted.add(event.getFormattedMessage() + " " + kit.tableExists("fresh"));
          adopted.add(kit.isAdopted("t"));
        }
      };

  @BeforeEach
  void listen() {
    appender.start();
    audit.setLevel(Level.INFO);
    audit.setAdditive(false);
    audit.addAppender(appender);
  }

  @AfterEach
  void close() {
    audit.detachAppender(appender);
    audit.setAdditive(true);
    audit.setLevel(null);
    kit.close();
  }

  private PutClient put(IngestorKit.Request request) {
    return new PutClient(
        kit.channel, request.build(), IngestorKit.IDENTITY.headers(IngestorKit.PRINCIPAL, CLIENT));
  }

  private static void assertEndsWell(PutClient put) throws Exception {
    put.send(Batches.schema()).send(Batches.ids(7)).halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
  }

  private static String line(String what, String table) {
    return "{\"who\":\"anna\",\"from\":\"10.0.3.7\",\"what\":\"%s\",\"on\":[\"main\",\"db\",\"%s\"],\"allowed\":true,\"via\":\"stream\"} false"
        .formatted(what, table);
  }

  @Test
  void aTableThatAStreamMakesIsNotedBeforeItIsMade() throws Exception {
    assertEndsWell(put(IngestorKit.request().table("fresh").createIfMissing()));
    assertEquals(List.of(line("create-table", "fresh")), noted);
    assertEndsWell(put(IngestorKit.request().table("fresh").createIfMissing().unnamed("d-2", 1)));
    assertEquals(1, noted.size(), "nothing is made the second time");
  }

  @Test
  void columnsThatAStreamBringsAreNotedOnce() throws Exception {
    kit.createTable(
        new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
        Map.of("wings.schema.evolution", "add-columns"));
    assertEndsWell(put(IngestorKit.request()));
    assertEndsWell(put(IngestorKit.request().unnamed("d-2", 1)));
    assertEquals(List.of(line("adopt-table", "t"), line("add-columns", "t")), noted);
  }

  @Test
  void adoptionIsNotedOnceAndBeforeTheTableIsChanged() throws Exception {
    kit.createTable();
    assertEndsWell(put(IngestorKit.request().createIfMissing()));
    assertEndsWell(put(IngestorKit.request().unnamed("d-2", 1)));
    assertFalse(kit.tableExists("fresh"));
    assertEquals(List.of(line("adopt-table", "t")), noted);
    assertEquals(List.of(false), adopted);
  }

  @Test
  void whoHasATableAdoptedByAnActionIsNoted() {
    kit.createTable();
    ActionClient actions = new ActionClient(kit.channel);
    actions.run(
        ActionReply.Flushed.class,
        new ActionBody.Flush(IngestorKit.MAIN, List.of("db"), "t", null));
    assertEquals(
        List.of(
            line("adopt-table", "t")
                .replace("10.0.3.7", "unknown")
                .replace("\"stream\"", "\"action\"")),
        noted);
  }
}
