package io.wings.ingestor;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.FlightMethods;
import io.wings.common.flight.StreamMove;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamReply;
import io.wings.common.flight.StreamRequest;
import io.wings.ingestor.stream.Frames;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/** One DoPut stream as a load balancer makes it, frame by frame. */
final class PutClient extends ClientCall.Listener<Flight.PutResult> {
  private static final long PATIENCE_SECONDS = 30;

  private final StreamRequest request;
  private final ClientCall<FlightFrame, Flight.PutResult> call;
  private final CompletableFuture<Status> end = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<BatchResult> results = new ArrayList<>();
  private @Nullable StreamOpened opened;
  volatile StreamMove.@Nullable Reason moved;
  private volatile boolean sentAll;
  private boolean first = true;
  private boolean reading = true;

  PutClient(Channel channel, StreamRequest request) {
    this(channel, request, IngestorKit.IDENTITY.headers(IngestorKit.PRINCIPAL));
  }

  PutClient(Channel channel, StreamRequest request, Metadata headers) {
    this.request = request;
    call = channel.newCall(FlightMethods.DO_PUT, CallOptions.DEFAULT);
    call.start(this, headers);
    call.request(1);
  }

  /** Reads no further; what is under way still comes. */
  PutClient stopReading() {
    reading = false;
    return this;
  }

  void readOn() {
    reading = true;
    call.request(1);
  }

  PutClient send(Frames frame) {
    return send(frame, "");
  }

  PutClient send(Frames frame, String appMetadata) {
    Flight.FlightData.Builder data =
        Flight.FlightData.newBuilder()
            .setDataHeader(ByteString.copyFrom(frame.header().duplicate()))
            .setDataBody(ByteString.copyFrom(frame.body().duplicate()))
            .setAppMetadata(ByteString.copyFromUtf8(appMetadata));
    if (first) {
      first = false;
      data.setFlightDescriptor(request.toDescriptor());
    }
    return sendRaw(data.build().toByteArray());
  }

  PutClient sendRaw(byte[] frame) {
    call.sendMessage(new FlightFrame(frame));
    return this;
  }

  PutClient sendAll(List<Frames> frames) {
    frames.forEach(this::send);
    return this;
  }

  boolean isReady() {
    return call.isReady();
  }

  PutClient halfClose() {
    sentAll = true;
    call.halfClose();
    return this;
  }

  void cancel() {
    call.cancel("test", null);
  }

  @Override
  public void onMessage(Flight.PutResult result) {
    lock.lock();
    try {
      if (opened == null) {
        opened = StreamOpened.of(result.getAppMetadata());
      } else {
        switch (StreamReply.of(result.getAppMetadata())) {
          case BatchResult answer -> results.add(answer);
          case StreamMove move -> {
            moved = move.reason();
            if (!sentAll) {
              call.halfClose();
            }
          }
          case StreamOpened again -> throw new IllegalStateException("opened twice: " + again);
        }
      }
      changed.signalAll();
      if (reading) {
        call.request(1);
      }
    } catch (RuntimeException e) {
      end.completeExceptionally(e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    end.complete(status);
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** How the stream ended. */
  Status end() {
    try {
      return end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("the stream doesn't end: " + results, e);
    }
  }

  boolean hasEnded() {
    return end.isDone();
  }

  StreamOpened opened() throws InterruptedException {
    lock.lock();
    try {
      while (opened == null) {
        await();
      }
      return opened;
    } finally {
      lock.unlock();
    }
  }

  /** Results so far, at least so many. */
  List<BatchResult> results(int count) throws InterruptedException {
    lock.lock();
    try {
      while (results.size() < count) {
        await();
      }
      return List.copyOf(results);
    } finally {
      lock.unlock();
    }
  }

  // Callers loop.
  @SuppressWarnings("WaitNotInLoop")
  private void await() throws InterruptedException {
    if (!changed.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("no answer; results so far " + results + ", end " + end);
    }
    if (end.isDone() && opened == null) {
      throw new AssertionError("ended before it opened: " + end.join());
    }
  }

  /** What was answered, e.g. {@code 1-3 durable}. */
  List<String> answers() {
    lock.lock();
    try {
      return results.stream()
          .map(
              r ->
                  r.sequence()
                      + "-"
                      + r.through()
                      + " "
                      + r.status().name().toLowerCase(Locale.ROOT))
          .toList();
    } finally {
      lock.unlock();
    }
  }

  /** How many batches were answered so. */
  long count(BatchStatus status) {
    lock.lock();
    try {
      return results.stream().filter(r -> r.status() == status).mapToLong(BatchResult::count).sum();
    } finally {
      lock.unlock();
    }
  }
}
