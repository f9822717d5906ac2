package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.config.HostPort;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Result;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * One stream of the stock Java client, which writes one-row batches until it is told to stop, and
 * does nothing about errors.
 */
final class StockStream implements AutoCloseable {
  /** So many batches may wait for their answer. */
  private static final long MAX_UNANSWERED = 64;

  private static final long PACE_MILLIS = 20;

  private final BufferAllocator allocator;
  private final VectorSchemaRoot root;
  private final Answers answers = new Answers();
  private final FlightClient.ClientStreamListener stream;
  private final boolean numbered;
  private final long firstRow;
  private final AtomicLong sent = new AtomicLong();
  private final CompletableFuture<String> end = new CompletableFuture<>();
  private volatile boolean stopped;
  private @Nullable Thread writing;

  /** Reads how far the answers are. */
  private static final class Answers extends AsyncPutListener {
    final AtomicLong through = new AtomicLong();

    @Override
    public void onNext(PutResult result) {
      ArrowBuf metadata = result.getApplicationMetadata();
      byte[] bytes = new byte[(int) metadata.readableBytes()];
      metadata.getBytes(metadata.readerIndex(), bytes);
      through.accumulateAndGet(WingsClient.json(bytes).path("through").asLong(), Math::max);
    }
  }

  private StockStream(
      FlightClient client,
      BufferAllocator allocator,
      FlightDescriptor descriptor,
      boolean numbered,
      long firstRow) {
    this.allocator = allocator;
    this.root = VectorSchemaRoot.create(Writers.SCHEMA, allocator);
    this.numbered = numbered;
    this.firstRow = firstRow;
    this.stream = client.startPut(descriptor, root, answers);
    Thread _ = Thread.ofVirtual().start(this::awaitEnd);
  }

  private void awaitEnd() {
    try {
      answers.getResult();
      end.complete("OK");
    } catch (RuntimeException e) {
      end.complete(e.toString());
    }
  }

  static FlightClient connect(String balancer, BufferAllocator allocator) {
    HostPort at = HostPort.parse(balancer);
    return FlightClient.builder(allocator, Location.forGrpcInsecure(at.host(), at.port())).build();
  }

  /** By path, as the simplest client does. */
  static StockStream unnamed(
      FlightClient client, BufferAllocator allocator, TableName table, long firstRow) {
    return new StockStream(
        client,
        allocator,
        FlightDescriptor.path(table.catalog(), table.namespace().getFirst(), table.table()),
        false,
        firstRow);
  }

  /** One that is answered when its batches are in the table. */
  static StockStream visible(
      FlightClient client, BufferAllocator allocator, TableName table, long firstRow) {
    return command(
        client, allocator, TestCluster.request(table).put("ack", "visible"), false, firstRow);
  }

  /** A named producer's first stream. */
  static StockStream named(
      FlightClient client,
      BufferAllocator allocator,
      TableName table,
      String producer,
      long firstRow) {
    ObjectNode request = TestCluster.request(table).put("producer", producer);
    Iterator<Result> results =
        client.doAction(
            new Action("producer-state", request.toString().getBytes(StandardCharsets.UTF_8)));
    JsonNode state = WingsClient.json(results.next().getBody());
    results.forEachRemaining(_ -> {});
    return command(
        client, allocator, request.put("epoch", state.path("epoch").asLong()), true, firstRow);
  }

  private static StockStream command(
      FlightClient client,
      BufferAllocator allocator,
      ObjectNode command,
      boolean numbered,
      long firstRow) {
    return new StockStream(
        client,
        allocator,
        FlightDescriptor.command(command.toString().getBytes(StandardCharsets.UTF_8)),
        numbered,
        firstRow);
  }

  /** Begins to write on a thread of its own. */
  StockStream start() {
    writing = Thread.ofVirtual().start(this::write);
    return this;
  }

  private void write() {
    try {
      while (!stopped && !end.isDone()) {
        if (sent.get() - answers.through.get() < MAX_UNANSWERED && stream.isReady()) {
          writeOne();
        }
        Thread.sleep(PACE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // The call is over; how it ended is with the answers.
      stopped = true;
    }
  }

  /** One row. */
  void writeOne() {
    long sequence = sent.get() + 1;
    ((BigIntVector) root.getVector(0)).setSafe(0, firstRow + sequence);
    root.setRowCount(1);
    if (numbered) {
      byte[] json = "{\"sequence\":%d}".formatted(sequence).getBytes(StandardCharsets.UTF_8);
      ArrowBuf metadata = allocator.buffer(json.length);
      metadata.writeBytes(json);
      stream.putNext(metadata);
    } else {
      stream.putNext();
    }
    sent.set(sequence);
  }

  long sent() {
    return sent.get();
  }

  /** Up to which sequence all is answered. */
  long answered() {
    return answers.through.get();
  }

  /** Fails when the stream has ended. */
  void requireOpen() {
    assertFalse(end.isDone(), () -> "a stream ended: " + end.join());
  }

  /**
   * Ends the stream; fails unless it ends OK.
   *
   * @param rows gets the rows that were sent
   */
  void finish(Set<Long> rows) throws InterruptedException {
    stopped = true;
    if (writing != null) {
      writing.join();
    }
    if (!end.isDone()) {
      stream.completed();
    }
    assertEquals("OK", end.join());
    for (long sequence = 1; sequence <= sent.get(); sequence++) {
      rows.add(firstRow + sequence);
    }
  }

  @Override
  public void close() {
    stopped = true;
    root.close();
  }
}
