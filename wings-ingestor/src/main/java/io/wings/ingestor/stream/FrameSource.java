package io.wings.ingestor.stream;

import io.wings.common.error.WingsException;
import io.wings.common.flight.FlightFrame;

/** Where a stream's frames come from. */
public interface FrameSource {
  /** What came next. */
  sealed interface Arrival {
    /** A frame. */
    record Frame(FlightFrame frame) implements Arrival {}

    /** The client has sent everything. */
    record End() implements Arrival {}

    /** The client is gone; nobody waits for an answer. */
    record Gone() implements Arrival {}
  }

  /**
   * Waits for the next.
   *
   * @throws WingsException the error that the stream was stopped with
   */
  Arrival next() throws InterruptedException;

  /**
   * Waits, once the client has sent everything, for {@link #wake}.
   *
   * @return false when the client is gone
   * @throws WingsException the error that the stream was stopped with
   */
  boolean awaitWake() throws InterruptedException;

  /** Lets {@link #awaitWake} return, now or when it is called next. Doesn't block. */
  void wake();

  /**
   * Makes {@link #next} and {@link #awaitWake} throw {@code error} from now on; the first one
   * counts. Doesn't block.
   */
  void stop(WingsException error);
}
