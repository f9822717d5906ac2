package io.wings.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.ProducerStream;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.cli.verify.RowHashes;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.jspecify.annotations.Nullable;

/** Several clients that stream a source's batches, each as its own named producer. */
final class Load {
  private final WingsClientFactory clients;
  private final TableName table;
  private final BatchSource source;
  private final RowHashes sent;
  private final Visibility visibility;
  private final LongConsumer onRowsSent;
  private final BufferAllocator allocator;
  private final Time time;
  private final Threads threads;
  private final Latencies acks = new Latencies();
  private final AtomicLong rowsSent = new AtomicLong();
  private final AtomicLong rowsAcknowledged = new AtomicLong();
  private final AtomicLong bytesSent = new AtomicLong();
  private final ReentrantLock hashLock = new ReentrantLock();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /** Opens one more connection to the load balancer. */
  interface WingsClientFactory {
    WingsClient connect();
  }

  Load(
      WingsClientFactory clients,
      TableName table,
      BatchSource source,
      RowHashes sent,
      Visibility visibility,
      LongConsumer onRowsSent,
      BufferAllocator allocator,
      Time time,
      Threads threads) {
    this.clients = clients;
    this.table = table;
    this.source = source;
    this.sent = sent;
    this.visibility = visibility;
    this.onRowsSent = onRowsSent;
    this.allocator = allocator;
    this.time = time;
    this.threads = threads;
  }

  /** What was sent and how long it took. */
  record Sent(
      long rows,
      long rowsAcknowledged,
      long bytes,
      double seconds,
      Latencies.Summary acknowledge) {}

  /** Sends everything; returns once all of it is acknowledged. */
  Sent run(int clientCount, String producerPrefix) throws InterruptedException {
    long begun = time.nanos();
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < clientCount; i++) {
      String producer = producerPrefix + i;
      running.add(threads.start(producer, () -> client(producer)));
    }
    for (Thread thread : running) {
      thread.join();
    }
    visibility.complete();
    Throwable failed = failure.get();
    if (failed != null) {
      throw failed instanceof WingsException wings
          ? wings
          : new WingsException(
              ErrorKind.INTERNAL, "client-failed", String.valueOf(failed.getMessage()), failed);
    }
    double seconds = (time.nanos() - begun) / 1e9;
    return new Sent(
        rowsSent.get(), rowsAcknowledged.get(), bytesSent.get(), seconds, acks.summary());
  }

  private void client(String producer) {
    try (WingsClient client = clients.connect();
        VectorSchemaRoot root = VectorSchemaRoot.create(source.schema(), allocator)) {
      stream(client, producer, root);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure.compareAndSet(null, e);
    } catch (IOException | RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void stream(WingsClient client, String producer, VectorSchemaRoot root)
      throws IOException, InterruptedException {
    InFlight inFlight = new InFlight();
    try (ProducerStream stream =
        ProducerStream.open(
            client,
            table,
            producer,
            root,
            new DictionaryProvider.MapDictionaryProvider(),
            inFlight::acknowledged)) {
      inFlight.through = stream.resumedFrom();
      while (failure.get() == null) {
        VectorSchemaRoot batch = source.next();
        if (batch == null) {
          break;
        }
        try (batch) {
          send(stream, inFlight, root, batch);
        }
      }
      stream.finish();
    }
  }

  private void send(
      ProducerStream stream, InFlight inFlight, VectorSchemaRoot root, VectorSchemaRoot batch)
      throws IOException, InterruptedException {
    long[] hashes = RowHashes.of(batch);
    hashLock.lock();
    try {
      sent.add(hashes);
    } finally {
      hashLock.unlock();
    }
    try (ArrowRecordBatch moved = new VectorUnloader(batch).getRecordBatch()) {
      new VectorLoader(root).load(moved);
    }
    int rows = root.getRowCount();
    inFlight.sending(rows, time.nanos());
    stream.send(null);
    bytesSent.addAndGet(bytes(root));
    onRowsSent.accept(rowsSent.addAndGet(rows));
  }

  private static long bytes(VectorSchemaRoot batch) {
    long sum = 0;
    for (FieldVector vector : batch.getFieldVectors()) {
      sum += vector.getBufferSize();
    }
    return sum;
  }

  /** Batches of one stream by sequence; sequences of a fresh producer begin at 1. */
  private final class InFlight {
    private final ConcurrentHashMap<Long, Batch> batches = new ConcurrentHashMap<>();
    private volatile long through;
    private long next = 1;

    private record Batch(int rows, long sentNanos) {}

    void sending(int rows, long nanos) {
      batches.put(next++, new Batch(rows, nanos));
    }

    void acknowledged(long upTo, JsonNode answer) {
      long now = time.nanos();
      for (long sequence = through + 1; sequence <= upTo; sequence++) {
        Batch batch = batches.remove(sequence);
        if (batch != null) {
          acks.add(now - batch.sentNanos());
          rowsAcknowledged.addAndGet(batch.rows());
          visibility.expect(answer, batch.sentNanos());
        }
      }
      through = Math.max(through, upTo);
    }
  }
}
