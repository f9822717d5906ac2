package io.wings.ingestor.stream;

import io.wings.catalog.table.Alignment;
import io.wings.common.cluster.LaneId;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.BatchMetadata;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.Create;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.OnReject;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamRequest;
import io.wings.common.flight.TableName;
import io.wings.common.grant.Audit;
import io.wings.common.grant.Scope;
import io.wings.common.wal.EncodedBatch;
import io.wings.common.wal.EncodedSchema;
import io.wings.common.wal.Operation;
import io.wings.common.wal.ProducerKey;
import io.wings.ingestor.lane.LaneResult;
import io.wings.ingestor.lane.LaneSession;
import io.wings.ingestor.table.StreamTable;
import java.util.Locale;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * One DoPut stream, from its first frame to its end: opens the table, or makes it once the first
 * batch is known to be good, hands every batch that was checked to the lane, and passes the lane's
 * decisions on.
 *
 * <p>The thread that runs it reads; decisions come on the lane's. Nothing is answered that the lane
 * hasn't decided. What is sent again is answered by the log before anything else is asked of it,
 * even whether it still fits the table.
 */
public final class PutStream {
  private final StreamServices services;
  private final ClusterIdentity.Caller caller;
  private final FrameSource frames;
  private final PutReplies replies;
  private final Answers answers;

  private @Nullable StreamRequest request;
  private @Nullable StreamDecoder decoder;
  private @Nullable Destination destination;

  /** Of the latest look at the table; null until a batch needs it. */
  private @Nullable Fit fit;

  /** Of a stream whose client asks for it. */
  private @Nullable VisibleAnswers visible;

  /** What may be sent again, once the table is open. */
  private @Nullable Resent resent;

  /** Whether a batch has gone to the lane: from then on all do, in order. */
  private boolean submitted;

  private long nextSequence;

  /** The log that the stream's batches go to, once its table is open. */
  private record Destination(
      StreamTable table, LaneSession session, ProducerKey producer, long epoch) {}

  /**
   * How batches become those of a table.
   *
   * @param lacking whether the table has to be given columns first
   */
  private record Fit(
      StreamTable table, Alignment alignment, EncodedSchema schema, boolean lacking) {}

  /**
   * A stream that has not begun.
   *
   * @param caller for whom it is
   */
  public PutStream(
      StreamServices services,
      ClusterIdentity.Caller caller,
      FrameSource frames,
      PutReplies replies) {
    this.services = services;
    this.caller = caller;
    this.frames = frames;
    this.replies = replies;
    this.answers = new Answers(frames, replies, services.meters(), services.time());
  }

  /**
   * Runs to the stream's end. When it returns, everything that was sent is durable, or the client
   * is gone.
   *
   * @throws WingsException what the stream ends with; everything before it has been answered
   */
  public void run() throws InterruptedException {
    try {
      if (readAll()) {
        finish();
      }
    } catch (WingsException e) {
      services.meters().refused();
      settle();
      WingsException earlier = answers.failure();
      throw told(earlier == null ? e : earlier);
    } finally {
      if (destination != null) {
        destination.session.close();
      }
      if (visible != null) {
        visible.close();
      }
      if (decoder != null) {
        decoder.close();
      }
    }
  }

  /** False when the client is gone. */
  private boolean readAll() throws InterruptedException {
    while (true) {
      switch (frames.next()) {
        case FrameSource.Arrival.Frame(FlightFrame frame) -> take(frame);
        case FrameSource.Arrival.End _ -> {
          return true;
        }
        case FrameSource.Arrival.Gone _ -> {
          return false;
        }
      }
    }
  }

  private void take(FlightFrame frame) throws InterruptedException {
    services.meters().received(frame.size());
    StreamRequest asked = request;
    if (asked == null) {
      asked = request(frame);
      request = asked;
      nextSequence = asked.firstSequence();
    }
    if (!frame.header().hasRemaining()) {
      if (frame.body().hasRemaining() || frame.appMetadata().hasRemaining()) {
        throw WingsException.invalid(
            "frame-invalid", "a message has a body or metadata but no Arrow message");
      }
      return;
    }
    StreamDecoder open = decoder;
    if (open == null) {
      decoder =
          StreamDecoder.open(
              frame.header(), services.dictionaries(), services.scratch(), services.limits());
      openTable(asked, decoder);
      return;
    }
    switch (open.parse(frame.header())) {
      case Message.SchemaMessage _ ->
          throw WingsException.invalid(
              "schema-unexpected", "a stream has one schema, got a second one");
      case Message.DictionaryMessage dictionary -> {
        services.decoding().acquire();
        try {
          open.take(dictionary, frame.body());
        } finally {
          services.decoding().release();
        }
      }
      case Message.BatchMessage(Message.Batch batch) -> take(asked, open, batch, frame);
    }
  }

  private StreamRequest request(FlightFrame first) {
    Flight.FlightDescriptor descriptor = first.descriptor();
    if (descriptor == null) {
      throw WingsException.invalid(
          "descriptor-missing", "the first message of a stream carries a descriptor");
    }
    StreamRequest asked = StreamRequest.of(descriptor);
    if (!asked.principal().equals(caller.principal())) {
      throw new WingsException(
          ErrorKind.UNAUTHENTICATED,
          "unauthenticated",
          "the stream's principal is not the one that the call was made for");
    }
    requireInsert(asked.operation());
    return asked;
  }

  private static void requireInsert(Operation operation) {
    if (operation != Operation.INSERT) {
      throw WingsException.invalid(
          "operation-unsupported",
          "the table is an append table and takes insert only, got %s; leave the operation out"
              .formatted(operation.name().toLowerCase(Locale.ROOT)));
    }
  }

  /** Opens the table; one that has to be made waits for the first batch. */
  private void openTable(StreamRequest asked, StreamDecoder open) throws InterruptedException {
    StreamRequest.Resumption resumption = asked.resumption();
    boolean wasOpen = resumption != null && resumption.opened() != null;
    StreamTable table;
    try {
      table = services.tables().open(asked.tableName(), adopting(asked.tableName()));
    } catch (WingsException e) {
      if (asked.create() != Create.IF_MISSING || wasOpen || !e.code().equals("table-not-found")) {
        throw e;
      }
      Alignment _ = StreamTable.alignmentOfNew(open.schema());
      return;
    }
    if (resumption == null) {
      Alignment _ = alignment(table, open);
    }
    Destination _ = open(asked, table);
  }

  private static Alignment alignment(StreamTable table, StreamDecoder open) {
    return table.needsColumnsOf(open.schema())
        ? table.alignmentAfterAdding(open.schema())
        : table.align(open.schema());
  }

  private Destination open(StreamRequest asked, StreamTable table) throws InterruptedException {
    LaneId lane = table.laneOf(asked);
    ProducerKey producer = new ProducerKey(caller.principal(), asked.producer(), asked.named());
    if (asked.ack() == Ack.VISIBLE) {
      visible =
          new VisibleAnswers(services.watches(), table, lane, asked.awaiting(), frames, replies);
      answers.await(visible);
    }
    LaneSession session = services.lanes().open(lane, table.watermark(lane.lane()), answers);
    Resent before;
    try {
      before = Resent.of(asked, table, session, producer);
    } catch (WingsException | InterruptedException e) {
      session.close();
      throw e;
    }
    resent = before;
    answers.resent(before.through(), asked.onReject());
    long epoch = before.epoch();
    Destination opened = new Destination(table, session, producer, epoch);
    destination = opened;
    replies.opened(new StreamOpened(table.id().uuid(), table.incarnation(), lane.lane(), epoch));
    if (visible != null) {
      visible.begin();
    }
    return opened;
  }

  private void take(StreamRequest asked, StreamDecoder open, Message.Batch batch, FlightFrame frame)
      throws InterruptedException {
    long arrived = services.time().nanos();
    BatchMetadata metadata = BatchMetadata.of(frame.appMetadata()).requireFor(asked);
    Long given = metadata.sequence();
    long sequence = given == null ? nextSequence++ : given;
    Destination to = destination == null ? create(asked, open, batch, frame) : destination;
    LaneResult before = submitted || resent == null ? null : resent.answer(sequence);
    if (before != null) {
      answers.submitting(sequence, 0, arrived);
      answers.decided(before);
      return;
    }
    submitted = true;
    Fit fits = null;
    EncodedBatch encoded;
    try {
      fits = fit(to, open);
      Operation operation = metadata.operation();
      requireInsert(operation == null ? asked.operation() : operation);
      encoded = encode(open, batch, frame, fits);
      if (fits.lacking) {
        // Now that a batch is known to be good.
        fits = null;
        fits = fit(to, withColumns(to, open), open);
        encoded = encode(open, batch, frame, fits);
      }
    } catch (WingsException e) {
      if (fits == null) {
        unfit(to, sequence, arrived, e);
      } else {
        bad(asked, to, sequence, arrived, e);
      }
      return;
    }
    answers.submitting(sequence, encoded.rows(), arrived);
    to.session.submit(to.producer, to.epoch, sequence, metadata.token(), Operation.INSERT, encoded);
  }

  /** The table doesn't take the stream: its end, but not before what was sent again is decided. */
  private void unfit(Destination to, long sequence, long arrived, WingsException error)
      throws InterruptedException {
    if (error.kind() != ErrorKind.INVALID || resent == null || sequence > resent.through()) {
      throw error;
    }
    refuseForGood(to, sequence, arrived, error);
  }

  /**
   * A batch that can't be taken. If the log has its sequence already, that is the answer: it is
   * sent again, and what it is held against now need not be what it was held against then.
   */
  private void bad(
      StreamRequest asked, Destination to, long sequence, long arrived, WingsException error)
      throws InterruptedException {
    if (error.kind() != ErrorKind.INVALID) {
      throw error;
    }
    if (asked.onReject() == OnReject.FAIL) {
      answerFromLog(to, sequence, arrived, error);
      return;
    }
    answers.submitting(sequence, 0, arrived);
    to.session.reject(to.producer, to.epoch, sequence, String.valueOf(error.getMessage()));
  }

  private void answerFromLog(Destination to, long sequence, long arrived, WingsException otherwise)
      throws InterruptedException {
    if (resent != null && sequence <= resent.through()) {
      refuseForGood(to, sequence, arrived, otherwise);
      return;
    }
    LaneResult known = to.session.ask(to.producer, to.epoch, sequence).orElseThrow(() -> otherwise);
    answers.submitting(sequence, 0, arrived);
    answers.decided(known);
  }

  /**
   * Refuses what another ingestor may have taken, whose put may land yet: not before the log says
   * that its sequence is refused, so that it can't be stored any more. If it was stored meanwhile,
   * that is the answer.
   */
  private void refuseForGood(Destination to, long sequence, long arrived, WingsException error)
      throws InterruptedException {
    answers.submitting(sequence, 0, arrived);
    answers.refusing(sequence, error);
    to.session.reject(to.producer, to.epoch, sequence, String.valueOf(error.getMessage()));
    to.session.drain();
    WingsException failure = answers.failure();
    if (failure != null) {
      refuseThoseBehind(to, sequence);
      throw failure;
    }
  }

  /**
   * The stream ends here, and a client without a name sends what was behind again under another: it
   * may not be stored under this one. A named client's sequences say what is stored.
   */
  private void refuseThoseBehind(Destination to, long refused) throws InterruptedException {
    if (resent == null || to.producer.named()) {
      return;
    }
    for (long sequence = refused + 1; sequence <= resent.through(); sequence++) {
      to.session.reject(to.producer, to.epoch, sequence, "");
    }
    to.session.drain();
  }

  /** Makes the table, after the first batch was checked against what it will be. */
  private Destination create(
      StreamRequest asked, StreamDecoder open, Message.Batch batch, FlightFrame frame)
      throws InterruptedException {
    Alignment own = StreamTable.alignmentOfNew(open.schema());
    services.decoding().acquire();
    try (StreamDecoder.Batch decoded = open.decode(batch, frame.body());
        VectorSchemaRoot _ = decoded.align(own)) {
      services.meters().decoded(batch.rows());
    } finally {
      services.decoding().release();
    }
    return open(asked, made(asked, open));
  }

  private StreamTable made(StreamRequest asked, StreamDecoder open) {
    TableName name = asked.tableName();
    return services
        .tables()
        .createIfMissing(name, open.schema(), () -> note("create-table", name), adopting(name));
  }

  private StreamTable withColumns(Destination to, StreamDecoder open) {
    TableName name = to.table.name();
    try {
      return services.tables().addColumns(name, open.schema(), () -> note("add-columns", name));
    } catch (WingsException e) {
      if (e.code().equals("table-not-adopted")) {
        // Its name is another table's by now, new to Wings.
        requireSameLog(to.table, services.tables().open(name, adopting(name)));
      }
      throw e;
    }
  }

  private Runnable adopting(TableName name) {
    return () -> note("adopt-table", name);
  }

  private void note(String act, TableName table) {
    Audit.meant(caller.principal(), caller.address(), act, new Scope.Table(table), "stream");
  }

  /** How batches fit the table, after a look at whether it is still what it was. */
  private Fit fit(Destination to, StreamDecoder open) {
    return fit(to, services.tables().current(to.table.name(), adopting(to.table.name())), open);
  }

  private Fit fit(Destination to, StreamTable now, StreamDecoder open) {
    Fit known = fit;
    if (known != null && known.table == now) {
      return known;
    }
    requireSameLog(to.table, now);
    Fit fits;
    if (known != null && !known.lacking && now.sameSchemaAs(known.table)) {
      fits = new Fit(now, known.alignment, known.schema, false);
    } else {
      Alignment alignment = alignment(now, open);
      EncodedSchema schema = services.encoder().encode(alignment.target());
      fits = new Fit(now, alignment, schema, now.needsColumnsOf(open.schema()));
    }
    fit = fits;
    return fits;
  }

  private static void requireSameLog(StreamTable was, StreamTable now) {
    if (!now.sameLogAs(was)) {
      if (now.id().equals(was.id())) {
        throw WingsException.unavailable(
            "table-moved",
            "table \"%s\" goes on under another incarnation; open the stream again"
                .formatted(now.name()),
            null);
      }
      throw WingsException.notFound(
          "table-replaced",
          "table \"%s\" was replaced while the stream was open (was %s, is %s); open a new stream if the new table is meant"
              .formatted(now.name(), was.id().uuid(), now.id().uuid()));
    }
  }

  private EncodedBatch encode(StreamDecoder open, Message.Batch batch, FlightFrame frame, Fit fits)
      throws InterruptedException {
    services.decoding().acquire();
    try (StreamDecoder.Batch decoded = open.decode(batch, frame.body());
        VectorSchemaRoot aligned = decoded.align(fits.alignment, fits.table.partitionFloors())) {
      services.meters().decoded(batch.rows());
      EncodedBatch encoded = services.encoder().encode(fits.schema, aligned);
      if (encoded.rawBytes() > services.limits().bodyBytes()) {
        throw WingsException.invalid(
            "batch-too-large",
            "a batch has %d bytes as the table stores it, at most %d are taken; send smaller batches"
                .formatted(encoded.rawBytes(), services.limits().bodyBytes()));
      }
      return encoded;
    } finally {
      services.decoding().release();
    }
  }

  private void finish() throws InterruptedException {
    StreamRequest asked = request;
    StreamDecoder open = decoder;
    if (asked == null || open == null) {
      throw WingsException.invalid("schema-missing", "the stream ended before its schema");
    }
    Destination to = destination;
    if (to == null && replies.isMoving()) {
      return;
    }
    if (to == null) {
      to = open(asked, made(asked, open));
    }
    to.session.drain();
    if (visible != null && answers.failure() == null) {
      visible.awaitAll();
    }
    answers.requireNoneRefused();
  }

  private WingsException told(WingsException error) {
    return visible == null ? error : visible.told(error);
  }

  /** Lets the lane decide what it has, so that the answers to it go out before an error. */
  private void settle() throws InterruptedException {
    if (destination != null && answers.failure() == null) {
      try {
        destination.session.drain();
        if (visible != null) {
          visible.awaitAll();
        }
      } catch (WingsException e) {
        // Nothing more is decided or seen; what the stream ends with is known already.
        return;
      }
    }
  }
}
