package io.wings.simulation;

import com.google.errorprone.annotations.FormatMethod;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.wings.common.cluster.LaneId;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.BatchMetadata;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.Create;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightMethods;
import io.wings.common.flight.LaneHash;
import io.wings.common.flight.OnReject;
import io.wings.common.flight.StreamRequest;
import io.wings.common.wal.Operation;
import io.wings.simulation.Book.Sent;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * A client with so many batches to bring in. One with a name asks what became of its batches after
 * every doubt; one without sends what was not answered again, as another content, since it can't
 * know.
 */
final class Producer {
  static final List<String> NAMESPACE = List.of("db");

  private static final int LARGEST_WINDOW = 12;

  /** What a stream's end may tell a client whose load balancer lives. */
  private static final Set<String> TOLD =
      Set.of(
          "producer-fenced",
          "suspect-batch",
          "balancer-stopping",
          "no-ingestor",
          "catalog-unavailable",
          "store-unavailable",
          "retries-exhausted",
          "too-many-bytes");

  /** The same, where another engine alters, replaces or renames the table. */
  private static final Set<String> TOLD_OF_THE_TABLE =
      Set.of("table-not-found", "table-replaced", "schema-mismatch", "lane-unknown");

  /** Of these, what isn't answered may be in the log all the same. */
  private static final Set<String> MAY_BE_STORED =
      Set.of(
          "suspect-batch",
          "no-ingestor",
          "producer-forgotten",
          "table-not-found",
          "table-replaced",
          "schema-mismatch",
          "lane-unknown",
          "table-stopped");

  /** How a stream ended. */
  private enum End {
    DONE,
    AGAIN,
    FENCED
  }

  private final World world;
  private final SimulatedProcess process;
  private final Batches batches;
  private final int number;
  private final boolean named;
  private final Progress progress;

  /** What outlives a client's process: of an unnamed one, what it still has to send. */
  static final class Progress {
    private int attempts;
    private int streams;
    private long next = 1;
    private boolean done;

    /** The sequence of a batch that kills ingestors, and how long its client waits before it. */
    private long poison;

    private Duration patience = Duration.ZERO;

    static Progress ofPoison(Random random) {
      Progress progress = new Progress();
      progress.poison = 1L + random.nextInt(5);
      progress.patience = Duration.ofMillis(random.nextInt(60_000));
      return progress;
    }

    boolean done() {
      return done;
    }
  }

  Producer(
      World world,
      SimulatedProcess process,
      Batches batches,
      int number,
      boolean named,
      Progress progress) {
    this.world = world;
    this.process = process;
    this.batches = batches;
    this.number = number;
    this.named = named;
    this.progress = progress;
  }

  void start() {
    Thread _ =
        process.start(
            "client",
            () -> {
              try {
                run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private void run() throws InterruptedException {
    process.time().sleep(progress.patience);
    while (!progress.done) {
      List<String> all = world.names(direct() ? "ingestor-" : "balancer-");
      String server = all.get(world.scheduler().choices().nextInt(all.size()));
      End end = named ? runNamed(server) : runUnnamed(server);
      if (end == End.DONE) {
        progress.done = true;
        return;
      }
      if (end == End.FENCED && world.process(process.name()).life() != process.life()) {
        world.guards().count("client fenced");
        return;
      }
      pause();
    }
  }

  private void pause() throws InterruptedException {
    process.time().sleep(Duration.ofMillis(50L + world.scheduler().choices().nextInt(1_500)));
  }

  // --- named -----------------------------------------------------------------------------------

  private String name() {
    return "producer-" + number;
  }

  private End runNamed(String server) throws InterruptedException {
    long decidedBefore = world.book().highestDecided(number);
    int renames = world.table().renames();
    ActionReply.ProducerOpened opened;
    try {
      opened = (ActionReply.ProducerOpened) open(server);
    } catch (WingsException e) {
      world.guards().count("open refused " + e.code());
      return End.AGAIN;
    }
    if (renames != world.table().renames()) {
      // Who answered may have been another table of the old name.
      return End.AGAIN;
    }
    if (opened.sequence() < decidedBefore) {
      world.violated(
          "producer-state of %s says %d, but %d was answered before"
              .formatted(name(), opened.sequence(), decidedBefore));
      return End.DONE;
    }
    if (opened.sequence() >= world.scenario().batches()) {
      return End.DONE;
    }
    // Now and then a client that doesn't trust the answer sends the last ones again.
    long from = opened.sequence() + 1;
    long again = world.scheduler().choices().nextInt(3) == 0 ? Math.min(from - 1, 2) : 0;
    return stream(server, 0, from - again, opened.epoch());
  }

  private ActionReply open(String server) throws InterruptedException {
    return call(
        server,
        new ActionBody.OpenProducer(
            SimulatedCatalogs.MAIN, NAMESPACE, world.table().name().name(), name()));
  }

  private ActionReply call(String server, ActionBody body) throws InterruptedException {
    Iterator<Flight.Result> results =
        ClientCalls.blockingServerStreamingCall(
            ClientInterceptors.intercept(
                world.transport().connect(process, server),
                MetadataUtils.newAttachHeadersInterceptor(headers())),
            FlightMethods.DO_ACTION,
            CallOptions.DEFAULT.withDeadlineAfter(
                world.scenario().odd().patience().toSeconds(), TimeUnit.SECONDS),
            body.toAction());
    try {
      ActionReply reply =
          ActionReply.of(ActionReply.ProducerOpened.class, results.next().getBody());
      results.forEachRemaining(_ -> {});
      return reply;
    } catch (StatusRuntimeException e) {
      throw FlightErrors.fromThrowable(e);
    }
  }

  /** An ingestor serves the cluster's own roles only; there the client is one. */
  private Metadata headers() {
    return direct() ? IngestorCore.IDENTITY.headers(IngestorCore.PRINCIPAL) : new Metadata();
  }

  /** Some clients wait until they are told that their rows can be read. */
  private boolean isVisible() {
    return !direct() && Math.floorMod(world.scenario().seed() + number, 3) == 0;
  }

  private boolean direct() {
    return world.scenario().clients().direct();
  }

  // --- unnamed ---------------------------------------------------------------------------------

  private End runUnnamed(String server) throws InterruptedException {
    return stream(server, ++progress.attempts, progress.next, null);
  }

  // --- both ------------------------------------------------------------------------------------

  private StreamRequest request(int attempt, @Nullable Long epoch) {
    String producer = epoch == null ? "drawn-" + number + "-" + attempt : name();
    int lanes = world.scenario().lanes();
    int lane =
        epoch == null
            ? LaneHash.unnamed(producer, lanes)
            : LaneHash.named(IngestorCore.PRINCIPAL, producer, lanes);
    return new StreamRequest(
        IngestorCore.PRINCIPAL,
        SimulatedCatalogs.MAIN,
        NAMESPACE,
        world.table().name().name(),
        producer,
        epoch != null,
        epoch,
        1,
        Math.min(lane, LaneId.MAX_LANES - 1),
        null,
        Operation.INSERT,
        Create.NEVER,
        OnReject.REPORT,
        Ack.DURABLE);
  }

  /** What a client that isn't one of the cluster's roles asks for. */
  private Flight.FlightDescriptor asked(@Nullable Long epoch) {
    String producer =
        epoch == null ? "" : "\"producer\":\"%s\",\"epoch\":%d,".formatted(name(), epoch);
    return Flight.FlightDescriptor.newBuilder()
        .setType(Flight.FlightDescriptor.DescriptorType.CMD)
        .setCmd(
            ByteString.copyFromUtf8(
                "{\"catalog\":\"%s\",\"namespace\":[\"%s\"],\"table\":\"%s\",%s%s\"on_reject\":\"report\"}"
                    .formatted(
                        SimulatedCatalogs.MAIN,
                        NAMESPACE.getFirst(),
                        world.table().name().name(),
                        producer,
                        isVisible() ? "\"ack\":\"visible\"," : "")))
        .build();
  }

  private End stream(String server, int attempt, long from, @Nullable Long epoch)
      throws InterruptedException {
    progress.streams++;
    note("opens stream %d, attempt %d, from %d at %s", progress.streams, attempt, from, server);
    Connection connection = new Connection(world, process, server, headers());
    return new Stream(connection, server, attempt, from, request(attempt, epoch)).run();
  }

  /** A line of the trace. */
  @FormatMethod
  private void note(String format, Object... values) {
    world
        .scheduler()
        .trace()
        .line(world.scheduler().now(), process.name(), format.formatted(values));
  }

  /** One stream of this client. */
  private final class Stream {
    private final Connection connection;
    private final int attempt;
    private final StreamRequest request;
    private final boolean withSequences;
    private final String server;
    private final int count = progress.streams;
    private final long sinceNanos = world.scheduler().now();
    private final Set<Long> unanswered = new LinkedHashSet<>();
    private final int window = 1 + world.scheduler().choices().nextInt(LARGEST_WINDOW);
    private final long base;
    private final Batches.Columns columns;
    private long next;
    private boolean moved;

    Stream(Connection connection, String server, int attempt, long from, StreamRequest request) {
      this.connection = connection;
      this.server = server;
      this.attempt = attempt;
      this.next = from;
      this.base = from - 1;
      this.request = request;
      this.withSequences = request.named();
      this.columns = world.columns().ofStream(number);
    }

    End run() throws InterruptedException {
      int idle = Math.toIntExact(world.scenario().odd().idle().toMillis());
      connection.send(
          batches.opening(direct() ? request.toDescriptor() : asked(request.epoch()), columns));
      boolean closed = false;
      while (true) {
        while (!closed && hasMore() && unanswered.size() < window) {
          world.book().sent(new Sent(number, attempt, next));
          world.columns().sent(new Sent(number, attempt, next), columns);
          batches
              .batch(number, attempt, next, next == base + 1, metadata(next), columns)
              .forEach(connection::send);
          if (world.scheduler().choices().nextInt(4) == 0) {
            // Now and then a client has nothing to say.
            process.time().sleep(Duration.ofMillis(world.scheduler().choices().nextInt(idle)));
          }
          unanswered.add(next++);
        }
        if (!hasMore() && !closed) {
          closed = true;
          connection.halfClose();
        }
        switch (connection.reply(world.scenario().odd().patience())) {
          case null -> {
            world.guards().count("client gave up");
            note("gave stream %d up, unanswered %s", progress.streams, unanswered);
            connection.cancel();
            return End.AGAIN;
          }
          case Connection.Reply.Opened _ -> {}
          case Connection.Reply.Moved _ -> {
            moved = true;
            world.guards().count("direct stream moved");
          }
          case Connection.Reply.Result(BatchResult result) -> take(result);
          case Connection.Reply.Broken() -> {
            note("stream %d broke, unanswered %s", progress.streams, unanswered);
            return End.AGAIN;
          }
          case Connection.Reply.Ended(WingsException error) -> {
            return ended(error);
          }
        }
      }
    }

    private boolean mayBeTold(String code) {
      boolean altered = !world.scenario().table().acts().isEmpty();
      return TOLD.contains(code)
          || (altered && TOLD_OF_THE_TABLE.contains(code))
          || (world.scenario().odd().remembered() > 0 && code.equals("producer-forgotten"))
          || (isVisible() && code.equals("table-stopped"));
    }

    private boolean hasMore() {
      return !moved && next <= world.scenario().batches();
    }

    private BatchMetadata metadata(long sequence) {
      return new BatchMetadata(withSequences ? sequence : null, token(sequence), null);
    }

    private String token(long sequence) {
      return "%s#%d%s"
          .formatted(
              new Sent(number, attempt, sequence).token(),
              count,
              sequence == progress.poison ? Poison.MARK : "");
    }

    private void take(BatchResult result) {
      for (long told = result.sequence(); told <= result.through(); told++) {
        long sequence = withSequences ? told : base + told;
        // What is visible is told later than what was rejected after it.
        boolean inOrder = !unanswered.isEmpty() && unanswered.iterator().next() == sequence;
        if (!unanswered.remove(sequence) || !(inOrder || isVisible())) {
          world.violated(
              "%s was answered %d while %s were next".formatted(name(), sequence, unanswered));
          return;
        }
        Sent batch = new Sent(number, attempt, sequence);
        switch (result.status()) {
          case DURABLE, DUPLICATE -> {
            world.log().requireHas(batch, result);
            world.book().acked(batch, result.position());
            world.columns().acked(batch);
          }
          case PASSED -> world.guards().count("answered passed");
          case REJECTED -> {
            world.book().rejected(batch);
            requireBad(batch, String.valueOf(result.reason()));
          }
          case VISIBLE -> {
            world.log().requireHas(batch, result);
            world.book().acked(batch, result.position());
            world.columns().acked(batch);
            world.visible().told(batch, result);
          }
        }
        if (!withSequences) {
          progress.next = unanswered.isEmpty() ? next : unanswered.iterator().next();
        }
        world.guards().count("answered " + result.status().name().toLowerCase(Locale.ROOT));
      }
    }

    /** Every batch is well-formed, and most are good where nobody alters the table. */
    private void requireBad(Sent batch, String reason) {
      boolean good =
          !Batches.isBad(number, batch.sequence()) && world.scenario().table().acts().isEmpty();
      if (good || reason.startsWith("batch-malformed")) {
        world.violated("%s was rejected: %s".formatted(batch, reason));
      }
    }

    private End ended(@Nullable WingsException error) {
      note(
          "stream %d ended, unanswered %s: %s",
          progress.streams, unanswered, error == null ? "OK" : String.valueOf(error.getMessage()));
      if (error == null || error.code().equals("batches-rejected")) {
        if (!unanswered.isEmpty()) {
          world.violated(name() + "'s stream ended well with " + unanswered + " unanswered");
        }
        return next > world.scenario().batches() ? End.DONE : End.AGAIN;
      }
      world.guards().count("stream ended " + error.code());
      if (!direct() && !mayBeTold(error.code())) {
        world.violated(name() + " was told by a living load balancer: " + error);
      }
      if (!direct() && !withSequences && !MAY_BE_STORED.contains(error.code())) {
        unanswered.forEach(sequence -> world.book().returned(new Sent(number, attempt, sequence)));
      }
      if (error.code().equals("suspect-batch")) {
        if (error.kind() == ErrorKind.UNAVAILABLE) {
          world.violated(name() + " was told to send again what ingestors die of: " + error);
        }
        if (progress.poison > 0) {
          return End.DONE;
        }
        world
            .relays()
            .requireDeaths(server, unanswered.stream().map(this::token).toList(), sinceNanos);
      }
      if (error.kind() == ErrorKind.FENCED) {
        return End.FENCED;
      }
      return End.AGAIN;
    }
  }
}
