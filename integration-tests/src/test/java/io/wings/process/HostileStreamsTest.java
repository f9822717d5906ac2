package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.wings.cli.client.ProducerStream;
import io.wings.cli.client.TableCreation;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.config.HostPort;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.FlightMethods;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams that crashed or hung some Arrow reader once, against a whole cluster in processes. */
@Timeout(240)
class HostileStreamsTest {
  private static final int ROUNDS = 10;
  private static final int CONTINUATION = 0xFFFFFFFF;
  private static final int PREFIX_BYTES = 8;

  @TempDir private Path directory;

  @Test
  void eachIsRefusedWithAClearErrorAndHurtsNobodyElse() throws Exception {
    List<Path> files = hostileFiles();
    try (TestCluster cluster = new TestCluster(directory);
        BufferAllocator allocator = new RootAllocator()) {
      WingsProcess _ = cluster.broker();
      WingsProcess ingestor = cluster.ingestor("ingestor", "--flush-interval", "50ms");
      WingsProcess balancer = cluster.loadBalancer("lb", ingestor);
      HostPort address = HostPort.parse(balancer.address());
      ManagedChannel channel =
          NettyChannelBuilder.forAddress(address.host(), address.port()).usePlaintext().build();
      try (WingsClient client = TestCluster.connect(balancer, allocator)) {
        long afterFirst = 0;
        for (int round = 1; round <= ROUNDS; round++) {
          for (Path file : files) {
            assertRefused(file, send(channel, file));
          }
          if (round == 1) {
            afterFirst = ingestor.rssKibibytes();
          }
        }
        assertEquals(List.of(), client.tables(), "no hostile stream leaves a table behind");
        acksAGoodBatch(client, allocator);
        assertTrue(ingestor.alive(), ingestor.log());
        long after = ingestor.rssKibibytes();
        assertTrue(
            after < afterFirst * 1.1,
            "resident set after %d rounds %d KiB, after the first %d KiB"
                .formatted(ROUNDS, after, afterFirst));
      } finally {
        channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
      }
    }
  }

  private static void assertRefused(Path file, Status status) {
    assertNotEquals(Status.Code.OK, status.getCode(), file.toString());
    String description = String.valueOf(status.getDescription());
    assertTrue(
        description.matches("(?s)[a-z][a-z0-9-]*: .+ \\(retry: no\\)"),
        file + " -> " + status.getCode() + " " + description);
    assertFalse(description.contains("Exception"), file + " -> " + description);
  }

  private static void acksAGoodBatch(WingsClient client, BufferAllocator allocator)
      throws InterruptedException {
    TableName table = TestCluster.table("good");
    var _ = new TableCreation(table).create(client, Writers.SCHEMA, null, null, Map.of());
    try (VectorSchemaRoot root = VectorSchemaRoot.create(Writers.SCHEMA, allocator);
        ProducerStream stream =
            ProducerStream.open(
                client,
                table,
                "good",
                root,
                new DictionaryProvider.MapDictionaryProvider(),
                (_, _) -> {})) {
      ((BigIntVector) root.getVector(0)).setSafe(0, 1);
      root.setRowCount(1);
      stream.send(null);
      stream.finish();
    }
  }

  /** Sends a file's frames as one stream with {@code create: if-missing}; returns how it ended. */
  private static Status send(ManagedChannel channel, Path file) throws Exception {
    String command =
        "{\"catalog\":\"main\",\"namespace\":[\"hostile\"],\"table\":\"t\",\"create\":\"if-missing\"}";
    Flight.FlightDescriptor descriptor =
        Flight.FlightDescriptor.newBuilder()
            .setType(Flight.FlightDescriptor.DescriptorType.CMD)
            .setCmd(ByteString.copyFromUtf8(command))
            .build();
    CompletableFuture<Status> end = new CompletableFuture<>();
    StreamObserver<FlightFrame> frames =
        ClientCalls.asyncBidiStreamingCall(
            channel.newCall(FlightMethods.DO_PUT, CallOptions.DEFAULT),
            new StreamObserver<Flight.PutResult>() {
              @Override
              public void onNext(Flight.PutResult result) {}

              @Override
              public void onError(Throwable error) {
                end.complete(Status.fromThrowable(error));
              }

              @Override
              public void onCompleted() {
                end.complete(Status.OK);
              }
            });
    boolean first = true;
    for (FlightFrame frame : frames(Files.readAllBytes(file))) {
      try {
        frames.onNext(first ? frame.withDescriptor(descriptor) : frame);
      } catch (IllegalStateException e) {
        break; // the call has already ended
      }
      first = false;
    }
    frames.onCompleted();
    return end.get(30, TimeUnit.SECONDS);
  }

  /** Cuts an IPC stream into frames; what can't be cut goes as one last frame. */
  private static List<FlightFrame> frames(byte[] stream) {
    List<FlightFrame> frames = new ArrayList<>();
    ByteBuffer rest = ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN);
    while (rest.remaining() >= PREFIX_BYTES) {
      int at = rest.position();
      boolean modern = rest.getInt(at) == CONTINUATION;
      int headerAt = at + (modern ? PREFIX_BYTES : PREFIX_BYTES / 2);
      int headerLength = rest.getInt(headerAt - Integer.BYTES);
      if (headerLength == 0) {
        return frames;
      }
      long bodyLength = bodyLength(stream, headerAt, headerLength);
      if (bodyLength < 0) {
        break;
      }
      int bodyAt = headerAt + headerLength;
      frames.add(frame(stream, headerAt, headerLength, bodyAt, (int) bodyLength));
      rest.position(bodyAt + (int) bodyLength);
    }
    if (rest.hasRemaining()) {
      frames.add(frame(stream, rest.position(), rest.remaining(), stream.length, 0));
    }
    return frames;
  }

  /** Or -1 when there is no whole message. */
  private static long bodyLength(byte[] stream, int headerAt, int headerLength) {
    if (headerLength < 0 || headerLength > stream.length - headerAt) {
      return -1;
    }
    try {
      long length =
          Message.getRootAsMessage(ByteBuffer.wrap(stream, headerAt, headerLength).slice())
              .bodyLength();
      return length > stream.length - headerAt - headerLength ? -1 : length;
    } catch (RuntimeException e) {
      return -1;
    }
  }

  private static FlightFrame frame(
      byte[] stream, int headerAt, int headerLength, int bodyAt, int bodyLength) {
    return new FlightFrame(
        Flight.FlightData.newBuilder()
            .setDataHeader(ByteString.copyFrom(stream, headerAt, headerLength))
            .setDataBody(ByteString.copyFrom(stream, bodyAt, bodyLength))
            .build()
            .toByteArray());
  }

  private static List<Path> hostileFiles() throws IOException {
    var corpus = Corpus.find();
    assumeTrue(corpus.isPresent(), "no corpus: set WINGS_CORPUS");
    try (Stream<Path> files = Files.list(corpus.orElseThrow().resolve("arrow-hostile"))) {
      return files.sorted().toList();
    }
  }
}
