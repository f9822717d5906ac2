package io.wings.loadbalancer;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.FlightMethods;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.Assertions;

/** A DoPut stream of a client that does as it pleases. */
final class RawStream implements AutoCloseable {
  /** Small, so that a few hundred unread results fill it. */
  private static final int WINDOW_BYTES = 64 << 10;

  private final ManagedChannel channel;
  private final ClientCall<FlightFrame, Flight.PutResult> call;
  private final CompletableFuture<Status> status = new CompletableFuture<>();
  private final CompletableFuture<Metadata> trailers = new CompletableFuture<>();
  final List<String> results = new CopyOnWriteArrayList<>();
  final AtomicLong sent = new AtomicLong();

  RawStream(int port, Metadata headers, boolean reads) {
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .usePlaintext()
            .flowControlWindow(WINDOW_BYTES)
            .build();
    call = channel.newCall(FlightMethods.DO_PUT, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(Flight.PutResult result) {
            results.add(result.getAppMetadata().toStringUtf8());
            call.request(1);
          }

          @Override
          public void onClose(Status ended, Metadata with) {
            trailers.complete(with);
            status.complete(ended);
          }
        },
        headers);
    if (reads) {
      call.request(1);
    }
  }

  static RawStream to(Balancer balancer) {
    return new RawStream(balancer.server.port(), new Metadata(), true);
  }

  static RawStream as(Balancer balancer, String token) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    return new RawStream(balancer.server.port(), headers, true);
  }

  static RawStream neverReading(Balancer balancer) {
    return new RawStream(balancer.server.port(), new Metadata(), false);
  }

  /** Reads from now on. */
  void read() {
    call.request(1);
  }

  static Flight.FlightDescriptor path(String... path) {
    return Flight.FlightDescriptor.newBuilder()
        .setType(Flight.FlightDescriptor.DescriptorType.PATH)
        .addAllPath(List.of(path))
        .build();
  }

  static Flight.FlightDescriptor cmd(String json) {
    return Flight.FlightDescriptor.newBuilder()
        .setType(Flight.FlightDescriptor.DescriptorType.CMD)
        .setCmd(ByteString.copyFromUtf8(json))
        .build();
  }

  /** Opens the stream as a stock client does: the descriptor comes with the schema. */
  RawStream open(Flight.FlightDescriptor descriptor) {
    return send(
        Flight.FlightData.newBuilder()
            .setFlightDescriptor(descriptor)
            .setDataHeader(ByteString.copyFromUtf8("schema"))
            .build());
  }

  RawStream body(byte[] body) {
    return send(Flight.FlightData.newBuilder().setDataBody(ByteString.copyFrom(body)).build());
  }

  RawStream send(Flight.FlightData data) {
    return send(data.toByteArray());
  }

  RawStream send(byte[] frame) {
    call.sendMessage(new FlightFrame(frame));
    sent.incrementAndGet();
    return this;
  }

  boolean isReady() {
    return call.isReady();
  }

  boolean isOver() {
    return status.isDone();
  }

  /** The results as ranges of sequences. */
  List<BatchResult> ranges() {
    return results.stream().map(json -> BatchResult.of(ByteString.copyFromUtf8(json))).toList();
  }

  /** Sends as long as the transport takes more and {@code more} says so. */
  void pump(byte[] frame, BooleanSupplier more) throws InterruptedException {
    while (more.getAsBoolean() && !isOver()) {
      if (isReady()) {
        send(frame);
      } else {
        Thread.sleep(1);
      }
    }
  }

  RawStream halfClose() {
    call.halfClose();
    return this;
  }

  void cancel() {
    call.cancel("test", null);
  }

  Status end() throws InterruptedException {
    return end(Duration.ofMinutes(1));
  }

  Status end(Duration timeout) throws InterruptedException {
    try {
      return status.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (TimeoutException e) {
      return Assertions.fail("the stream did not end within " + timeout);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
