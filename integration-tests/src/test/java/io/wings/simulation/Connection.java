package io.wings.simulation;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.wings.common.error.WingsException;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.FlightMethods;
import io.wings.common.flight.StreamMove;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamReply;
import io.wings.simulation.kernel.Mailbox;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/** A client's end of one DoPut stream. */
final class Connection {
  /** What a client sees. */
  sealed interface Reply {
    /** Only an ingestor says so. */
    record Opened(StreamOpened opened) implements Reply {}

    /** Only an ingestor says so. */
    record Moved() implements Reply {}

    record Result(BatchResult result) implements Reply {}

    /** The stream's end; null: well. */
    record Ended(@Nullable WingsException error) implements Reply {}

    record Broken() implements Reply {}
  }

  private final ClientCall<FlightFrame, Flight.PutResult> call;
  private final Mailbox<Reply> replies;

  Connection(World world, SimulatedProcess client, String server, Metadata headers) {
    this.replies = new Mailbox<>(world.scheduler());
    this.call =
        world
            .transport()
            .connect(client, server)
            .newCall(FlightMethods.DO_PUT, CallOptions.DEFAULT);
    call.start(new Replies(), headers);
    call.request(1);
  }

  private final class Replies extends ClientCall.Listener<Flight.PutResult> {
    @Override
    public void onMessage(Flight.PutResult message) {
      replies.put(
          switch (StreamReply.of(message.getAppMetadata())) {
            case StreamOpened opened -> new Reply.Opened(opened);
            case StreamMove _ -> new Reply.Moved();
            case BatchResult result -> new Reply.Result(result);
          });
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      replies.put(
          status.isOk()
              ? new Reply.Ended(null)
              : FlightErrors.isWings(status)
                  ? new Reply.Ended(FlightErrors.fromStatus(status))
                  : new Reply.Broken());
    }
  }

  void send(FlightFrame frame) {
    call.sendMessage(frame);
  }

  void halfClose() {
    call.halfClose();
  }

  /** The client goes away. */
  void cancel() {
    call.cancel("the client gave up", null);
  }

  /** The next reply, or null after {@code patience}; asks for one more. */
  @Nullable Reply reply(Duration patience) throws InterruptedException {
    Reply reply = replies.poll(patience);
    if (reply != null) {
      call.request(1);
    }
    return reply;
  }
}
