package io.wings.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.error.WingsException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a named producer: takes over the producer's name, tells where it stands, numbers
 * the batches and waits for acknowledgements. A batch at or below {@link #resumedFrom()} is already
 * stored and needs no sending.
 */
public final class ProducerStream implements AutoCloseable {
  /** Batches that may be on their way without an answer. */
  private static final long MAX_UNACKNOWLEDGED = 64;

  /** Told of each acknowledgement, on a thread of the transport. */
  @FunctionalInterface
  public interface AckListener {
    /**
     * Batches are durable (or were before).
     *
     * @param through the highest sequence acknowledged so far
     * @param answer the server's result, with {@code status}, {@code incarnation}, {@code lane},
     *     {@code position}
     */
    void acknowledged(long through, JsonNode answer);
  }

  private final WingsClient client;
  private final FlightClient.ClientStreamListener stream;
  private final Results results;
  private final long resumedFrom;
  private final boolean maybeForgotten;
  private final @Nullable String token;
  private long sent;

  private ProducerStream(
      WingsClient client,
      FlightClient.ClientStreamListener stream,
      Results results,
      JsonNode state) {
    this.client = client;
    this.stream = stream;
    this.results = results;
    this.resumedFrom = state.path("sequence").asLong(0);
    this.maybeForgotten = state.path("horizon").asLong(0) > 0;
    this.token = state.path("token").isTextual() ? state.path("token").asText() : null;
    this.sent = resumedFrom;
  }

  /**
   * Takes over {@code producer} and opens a stream.
   *
   * @param root holds each batch while {@link #send} is called
   */
  public static ProducerStream open(
      WingsClient client,
      TableName table,
      String producer,
      VectorSchemaRoot root,
      DictionaryProvider dictionaries,
      AckListener listener) {
    JsonNode state =
        client.action(
            "producer-state",
            table.into(WingsClient.JSON.createObjectNode()).put("producer", producer));
    long last = state.path("sequence").asLong(0);
    ObjectNode command =
        table
            .into(WingsClient.JSON.createObjectNode())
            .put("producer", producer)
            .put("epoch", state.path("epoch").asLong());
    Results results = new Results(client, last, listener);
    return new ProducerStream(
        client, client.put(command, root, dictionaries, results), results, state);
  }

  /** The last sequence that the log had when this stream opened; 0 for a new producer. */
  public long resumedFrom() {
    return resumedFrom;
  }

  /** What the last stored batch carried, or null. */
  public @Nullable String token() {
    return token;
  }

  /** The log doesn't know the producer and has forgotten some: it may have stored batches once. */
  public boolean maybeForgotten() {
    return maybeForgotten;
  }

  /**
   * Sends what the root holds under the next sequence, which it returns; blocks while too many
   * wait.
   */
  public long send(@Nullable String token) throws InterruptedException {
    results.awaitRoom(sent - MAX_UNACKNOWLEDGED + 1);
    sent++;
    ObjectNode metadata = WingsClient.JSON.createObjectNode().put("sequence", sent);
    if (token != null) {
      metadata.put("token", token);
    }
    byte[] bytes = metadata.toString().getBytes(StandardCharsets.UTF_8);
    ArrowBuf buffer = client.allocator().buffer(bytes.length);
    buffer.writeBytes(bytes);
    try {
      stream.putNext(buffer);
    } catch (FlightRuntimeException e) {
      throw results.failureOr(e);
    } catch (IllegalStateException e) {
      // gRPC's word for a call that has already ended; the server's reason is with the results.
      throw results.failureOr(e);
    }
    return sent;
  }

  /** Ends the stream and returns once the server has acknowledged all of it. */
  public void finish() throws InterruptedException {
    stream.completed();
    results.awaitEnd();
  }

  @Override
  public void close() {
    if (!results.ended()) {
      stream.error(new IllegalStateException("abandoned"));
    }
  }

  private static final class Results implements FlightClient.PutListener {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final WingsClient client;
    private final AckListener listener;
    private long through;
    private boolean ended;
    private @Nullable Throwable failure;

    Results(WingsClient client, long through, AckListener listener) {
      this.client = client;
      this.through = through;
      this.listener = listener;
    }

    @Override
    public void onNext(PutResult result) {
      ArrowBuf metadata = result.getApplicationMetadata();
      if (metadata == null) {
        return;
      }
      byte[] bytes = new byte[(int) metadata.readableBytes()];
      metadata.getBytes(metadata.readerIndex(), bytes);
      JsonNode answer = WingsClient.json(bytes);
      long acknowledged = answer.path("through").asLong(answer.path("sequence").asLong());
      listener.acknowledged(acknowledged, answer);
      lock.lock();
      try {
        through = Math.max(through, acknowledged);
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void onError(Throwable error) {
      end(error);
    }

    @Override
    public void onCompleted() {
      end(null);
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void getResult() {
      // awaitEnd() is how this stream is waited for
    }

    private void end(@Nullable Throwable error) {
      lock.lock();
      try {
        ended = true;
        failure = error;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    boolean ended() {
      lock.lock();
      try {
        return ended;
      } finally {
        lock.unlock();
      }
    }

    void awaitRoom(long sequence) throws InterruptedException {
      lock.lock();
      try {
        while (through < sequence && !ended) {
          changed.await();
        }
        if (ended) {
          throw failureOr(new IllegalStateException("the stream has ended"));
        }
      } finally {
        lock.unlock();
      }
    }

    void awaitEnd() throws InterruptedException {
      lock.lock();
      try {
        while (!ended) {
          changed.await();
        }
        if (failure != null) {
          throw failureOr(new IllegalStateException(failure));
        }
      } finally {
        lock.unlock();
      }
    }

    /** The server's reason when it gave one, else {@code other}. */
    RuntimeException failureOr(RuntimeException other) {
      lock.lock();
      try {
        if (failure instanceof FlightRuntimeException flight) {
          return client.translated(flight);
        }
        if (other instanceof FlightRuntimeException flight) {
          return client.translated(flight);
        }
        return WingsException.unavailable(
            "stream-ended", String.valueOf(other.getMessage()), other);
      } finally {
        lock.unlock();
      }
    }
  }
}
