package io.wings.simulation;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.wings.common.flight.FlightFrame;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;

/** A batch that kills every ingestor that reads it, as one does that crashes a native library. */
final class Poison implements ServerInterceptor {
  private static final int LONGEST_DEATH_MILLIS = 3_000;

  private final World world;
  private final SimulatedProcess ingestor;

  Poison(World world, SimulatedProcess ingestor) {
    this.world = world;
    this.ingestor = ingestor;
  }

  /** What a batch's token ends with. */
  static final String MARK = "!";

  /** Ends the thread that read it; its process is dead by then. */
  private static final class Died extends Error {
    private static final long serialVersionUID = 1L;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      @Override
      public void onMessage(Q message) {
        String token = message instanceof FlightFrame frame ? RelayChecker.token(frame) : null;
        if (token != null && token.endsWith(MARK)) {
          world.faults().count("poison read");
          world.relays().poisoned(token);
          ingestor.kill();
          world.replaceAfter(
              ingestor.name(),
              Duration.ofMillis(world.scheduler().choices().nextInt(LONGEST_DEATH_MILLIS)));
          throw new Died();
        }
        super.onMessage(message);
      }
    };
  }
}
