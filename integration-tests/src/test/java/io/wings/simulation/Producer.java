package io.wings.simulation;

import io.wings.common.cluster.LaneId;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.Create;
import io.wings.common.flight.LaneHash;
import io.wings.common.flight.OnReject;
import io.wings.common.flight.StreamRequest;
import io.wings.common.wal.Operation;
import io.wings.common.wal.ProducerKey;
import io.wings.simulation.Book.Sent;
import io.wings.simulation.kernel.Network;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A client with so many batches to bring in. One with a name asks what became of its batches after
 * every doubt; one without sends what was not answered again, as another content, since it can't
 * know.
 */
final class Producer {
  static final List<String> NAMESPACE = List.of("db");

  private static final int WINDOW = 6;

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
    private long next = 1;
    private boolean done;

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
    while (!progress.done) {
      try {
        List<String> all = world.names("ingestor-");
        String ingestor = all.get(world.scheduler().choices().nextInt(all.size()));
        End end = named ? runNamed(ingestor) : runUnnamed(ingestor);
        if (end == End.DONE) {
          progress.done = true;
          return;
        }
        if (end == End.FENCED && world.process(process.name()).life() != process.life()) {
          world.guards().count("client fenced");
          return;
        }
      } catch (Network.Unreachable _) {
        world.guards().count("client found no ingestor");
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

  private End runNamed(String ingestor) throws InterruptedException, Network.Unreachable {
    long decidedBefore = world.book().highestDecided(number);
    int renames = world.table().renames();
    ActionReply.ProducerOpened opened;
    try {
      opened = (ActionReply.ProducerOpened) open(ingestor);
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
    return stream(ingestor, 0, from - again, opened.epoch());
  }

  private ActionReply open(String ingestor) throws InterruptedException, Network.Unreachable {
    return call(
        ingestor,
        new ActionBody.OpenProducer(
            SimulatedCatalogs.MAIN, NAMESPACE, world.table().name().name(), name()));
  }

  private ActionReply call(String ingestor, ActionBody body)
      throws InterruptedException, Network.Unreachable {
    try {
      return world
          .network()
          .call(
              process,
              ingestor,
              world.scenario().odd().patience(),
              () -> {
                IngestorCore core = world.ingestor(ingestor);
                if (core == null) {
                  throw new IllegalStateException("not started");
                }
                return core.run(body);
              });
    } catch (Network.Unreachable | InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  // --- unnamed ---------------------------------------------------------------------------------

  private End runUnnamed(String ingestor) throws InterruptedException {
    return stream(ingestor, ++progress.attempts, progress.next, null);
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

  private End stream(String ingestor, int attempt, long from, @Nullable Long epoch)
      throws InterruptedException {
    IngestorCore core = world.ingestor(ingestor);
    SimulatedProcess server = world.process(ingestor);
    if (core == null || server.dead()) {
      return End.AGAIN;
    }
    Connection connection = new Connection(world.scheduler(), world.network(), process, server);
    if (world.network().open(process.name(), ingestor)) {
      world.scheduler().after(world.network().latency(), () -> accept(core, server, connection));
    }
    StreamRequest request = request(attempt, epoch);
    return new Stream(connection, attempt, from, request).run();
  }

  private static void accept(IngestorCore core, SimulatedProcess server, Connection connection) {
    if (!server.dead()) {
      core.serve(connection);
    }
  }

  /** One stream of this client. */
  private final class Stream {
    private final Connection connection;
    private final int attempt;
    private final StreamRequest request;
    private final boolean withSequences;
    private final Deque<Long> unanswered = new ArrayDeque<>();
    private final long base;
    private final Batches.Columns columns;
    private long next;

    Stream(Connection connection, int attempt, long from, StreamRequest request) {
      this.connection = connection;
      this.attempt = attempt;
      this.next = from;
      this.base = from - 1;
      this.request = request;
      this.withSequences = request.named();
      this.columns = world.columns().ofStream(number);
    }

    End run() throws InterruptedException {
      int idle = Math.toIntExact(world.scenario().odd().idle().toMillis());
      connection.send(batches.opening(request, columns));
      boolean closed = false;
      while (true) {
        while (next <= world.scenario().batches() && unanswered.size() < WINDOW) {
          world.book().sent(new Sent(number, attempt, next));
          world.columns().sent(new Sent(number, attempt, next), columns);
          connection.send(batches.batch(number, attempt, next, withSequences, columns));
          if (world.scheduler().choices().nextInt(4) == 0) {
            // Now and then a client has nothing to say.
            process.time().sleep(Duration.ofMillis(world.scheduler().choices().nextInt(idle)));
          }
          unanswered.addLast(next++);
        }
        if (next > world.scenario().batches() && !closed) {
          closed = true;
          connection.halfClose();
        }
        switch (connection.reply(world.scenario().odd().patience())) {
          case null -> {
            world.guards().count("client gave up");
            connection.cancel();
            return End.AGAIN;
          }
          case Connection.Reply.Opened _ -> {}
          case Connection.Reply.Result(BatchResult result) -> take(result);
          case Connection.Reply.Broken() -> {
            return End.AGAIN;
          }
          case Connection.Reply.Ended(WingsException error) -> {
            return ended(error);
          }
        }
      }
    }

    private void take(BatchResult result) {
      if (result.status() == BatchStatus.DURABLE || result.status() == BatchStatus.DUPLICATE) {
        world
            .log()
            .requireHas(
                new ProducerKey(request.principal(), request.producer(), request.named()), result);
      }
      for (long told = result.sequence(); told <= result.through(); told++) {
        long sequence = withSequences ? told : base + told;
        Long expected = unanswered.pollFirst();
        if (expected == null || expected != sequence) {
          world.violated(
              "%s was answered %d while %s was next".formatted(name(), sequence, expected));
          return;
        }
        Sent batch = new Sent(number, attempt, sequence);
        switch (result.status()) {
          case DURABLE, DUPLICATE -> {
            world.book().acked(batch, result.position());
            world.columns().acked(batch);
          }
          case PASSED -> world.guards().count("answered passed");
          case REJECTED -> world.book().rejected(batch);
          case VISIBLE -> {}
        }
        if (!withSequences) {
          progress.next = sequence + 1;
        }
        world.guards().count("answered " + result.status().name().toLowerCase(Locale.ROOT));
      }
    }

    private End ended(@Nullable WingsException error) {
      if (error == null || error.code().equals("batches-rejected")) {
        if (!unanswered.isEmpty()) {
          world.violated(name() + "'s stream ended well with " + unanswered + " unanswered");
        }
        return next > world.scenario().batches() ? End.DONE : End.AGAIN;
      }
      world.guards().count("stream ended " + error.code());
      if (error.kind() == ErrorKind.FENCED) {
        return End.FENCED;
      }
      return End.AGAIN;
    }
  }
}
