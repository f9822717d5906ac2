package io.wings.process;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.ProducerStream;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Named producers that write one-row batches, each row a number of its own, until they are told to
 * stop; after an error they take over their own name and go on where the log stands.
 */
final class Writers {
  static final Schema SCHEMA =
      new Schema(
          List.of(new Field("row", new FieldType(false, new ArrowType.Int(64, true), null), null)));

  private static final long MOST_WITHOUT_PROGRESS_NANOS = 120_000_000_000L;

  /** Rows of one producer begin at its index times this. */
  static final long STRIDE = 1_000_000_000L;

  private final TableName table;
  private final Supplier<WingsClient> clients;
  private final BufferAllocator allocator;
  private final long batchesOfAStream;
  private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
  private final AtomicLong highestPosition = new AtomicLong();
  private final Queue<WingsException> errors = new ConcurrentLinkedQueue<>();
  private final List<Throwable> unexpected = new ArrayList<>();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final List<Thread> threads = new ArrayList<>();

  Writers(TableName table, Supplier<WingsClient> clients, BufferAllocator allocator) {
    this(table, clients, allocator, Long.MAX_VALUE);
  }

  /**
   * @param clients connected anew for each stream
   * @param batchesOfAStream after which a stream is finished and another opened
   */
  Writers(
      TableName table,
      Supplier<WingsClient> clients,
      BufferAllocator allocator,
      long batchesOfAStream) {
    this.table = table;
    this.clients = clients;
    this.allocator = allocator;
    this.batchesOfAStream = batchesOfAStream;
  }

  void start(int first, int count) {
    for (int i = first; i < first + count; i++) {
      int index = i;
      threads.add(Thread.ofVirtual().name("writer-" + i).start(() -> write(index)));
    }
  }

  /** Rows whose batch was acknowledged. */
  Set<Long> acknowledged() {
    return acknowledged;
  }

  long highestPosition() {
    return highestPosition.get();
  }

  /** What calls and streams ended with that a retry cures. */
  Collection<WingsException> errors() {
    return errors;
  }

  /** Tells all to stop, and waits until what they sent is acknowledged. */
  void stop() throws InterruptedException {
    stopped.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    synchronized (unexpected) {
      if (!unexpected.isEmpty()) {
        throw new AssertionError("a writer failed", unexpected.getFirst());
      }
    }
  }

  private void write(int index) {
    AtomicLong progressed = new AtomicLong(System.nanoTime());
    boolean done = false;
    while (!done) {
      try (WingsClient client = clients.get();
          VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator)) {
        done = stream(client, index, root, progressed);
      } catch (WingsException e) {
        errors.add(e);
        done = System.nanoTime() - progressed.get() > MOST_WITHOUT_PROGRESS_NANOS;
        if (done) {
          unexpected(e);
        }
        pause();
      } catch (InterruptedException | RuntimeException e) {
        unexpected(e);
        done = true;
      }
    }
  }

  private void unexpected(Throwable error) {
    synchronized (unexpected) {
      unexpected.add(error);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(200);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean stream(
      WingsClient client, int index, VectorSchemaRoot root, AtomicLong progressed)
      throws InterruptedException {
    try (ProducerStream stream =
        ProducerStream.open(
            client,
            table,
            "writer-" + index,
            root,
            new DictionaryProvider.MapDictionaryProvider(),
            (through, answer) -> {
              progressed.set(System.nanoTime());
              acknowledge(index, through, answer);
            })) {
      BigIntVector rows = (BigIntVector) root.getVector(0);
      long sequence = stream.resumedFrom();
      acknowledgeUpTo(index, sequence);
      long last = sequence + batchesOfAStream;
      while (!stopped.get() && sequence != last) {
        sequence++;
        rows.setSafe(0, index * STRIDE + sequence);
        root.setRowCount(1);
        stream.send(null);
      }
      stream.finish();
      acknowledgeUpTo(index, sequence);
      return stopped.get();
    }
  }

  private void acknowledge(int index, long through, JsonNode answer) {
    highestPosition.accumulateAndGet(answer.path("position").asLong(), Math::max);
    for (long s = answer.path("sequence").asLong(); s <= through; s++) {
      acknowledged.add(index * STRIDE + s);
    }
  }

  private void acknowledgeUpTo(int index, long through) {
    for (long s = through; s > 0 && acknowledged.add(index * STRIDE + s); s--) {
      // stops at the first that was known
    }
  }
}
