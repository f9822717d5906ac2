package io.wings.loadbalancer.proxy;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.FlightMethods;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.UnreadResults;
import io.wings.loadbalancer.fleet.Ingestor;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * One DoPut stream between a client and an ingestor.
 *
 * <ul>
 *   <li>Frames: the next one is read only when the last one has been taken by the transport to the
 *       ingestor, so at most one is held here.
 *   <li>Results: always read, so that a client which doesn't read can't stall its ingestor; those
 *       that it hasn't read merge into ranges.
 *   <li>An error found here ends the stream when everything before it has been answered.
 *   <li>After the end, frames are read and dropped for a while: a client that reads nothing while
 *       it sends can't see the end otherwise, because its flow control holds the trailers back.
 * </ul>
 */
final class PutProxy extends ServerCall.Listener<FlightFrame> implements Arriving.Refusal {
  private final ServerCall<FlightFrame, Flight.PutResult> client;
  private final String principal;
  private final PutOpening opening;
  private final HeldBytes.Share held;
  private final ReentrantLock lock = new ReentrantLock();
  private final UnreadResults unread = new UnreadResults();

  private @Nullable ClientCall<FlightFrame, Flight.PutResult> upstream;
  private boolean awaitingIngestor;
  private boolean opened;
  private boolean halfClosed;

  /** An error found here, told when what came before it has been answered. */
  private @Nullable Status failure;

  /** The client has been told the end, or is gone. */
  private boolean ended;

  private long endedNanos;

  PutProxy(
      ServerCall<FlightFrame, Flight.PutResult> client,
      String principal,
      PutOpening opening,
      HeldBytes.Share held) {
    this.client = client;
    this.principal = principal;
    this.opening = opening;
    this.held = held;
  }

  @Override
  public void onMessage(FlightFrame frame) {
    if (isOver()) {
      held.releaseAll();
      drop();
      return;
    }
    try {
      if (upstream == null) {
        open(frame);
      } else if (frame.hasDescriptor()) {
        throw WingsException.invalid(
            "descriptor-repeated", "only the first message of a stream carries a descriptor");
      } else {
        forward(frame);
      }
    } catch (RuntimeException e) {
      fail(FlightErrors.toStatus(e));
      held.releaseAll();
      drop();
    }
  }

  private boolean isOver() {
    lock.lock();
    try {
      return ended || failure != null;
    } finally {
      lock.unlock();
    }
  }

  private void drop() {
    boolean lingering;
    lock.lock();
    try {
      lingering = !ended || opening.isLingering(endedNanos);
    } finally {
      lock.unlock();
    }
    if (lingering) {
      client.request(1);
    }
  }

  private void open(FlightFrame frame) {
    PutOpening.Opened target = opening.open(principal, frame);
    lock.lock();
    try {
      if (ended) {
        return;
      }
      ClientCall<FlightFrame, Flight.PutResult> call =
          target.ingestor().newCall(FlightMethods.DO_PUT, CallOptions.DEFAULT);
      upstream = call;
      call.start(new Results(target.ingestor(), target.ack()), opening.headers(principal));
      call.request(1);
      client.sendHeaders(new Metadata());
      opening.metrics().streams.increment();
    } finally {
      lock.unlock();
    }
    forward(target.frame());
  }

  private void forward(FlightFrame frame) {
    lock.lock();
    try {
      if (ended || failure != null || upstream == null) {
        return;
      }
      upstream.sendMessage(frame);
      opening.metrics().frames.increment();
      opening.metrics().bytes.increment(frame.size());
      awaitingIngestor = true;
    } finally {
      lock.unlock();
    }
    readOn();
  }

  /** Reads the next frame once the transport to the ingestor has taken the last one. */
  private void readOn() {
    lock.lock();
    try {
      if (!awaitingIngestor || upstream == null || !upstream.isReady()) {
        return;
      }
      awaitingIngestor = false;
    } finally {
      lock.unlock();
    }
    held.releaseAll();
    held.whenRoom(() -> client.request(1));
  }

  @Override
  public void onHalfClose() {
    lock.lock();
    try {
      halfClosed = true;
      if (upstream != null && failure == null && !ended) {
        upstream.halfClose();
      } else if (upstream == null && !ended) {
        end(
            FlightErrors.toStatus(
                WingsException.invalid(
                    "descriptor-missing", "the stream ended before its first message")));
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onReady() {
    lock.lock();
    try {
      if (!ended) {
        flush(false);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onCancel() {
    lock.lock();
    try {
      ended = true;
      endedNanos = opening.nanos();
      if (upstream != null) {
        upstream.cancel("the client went away", null);
      }
    } finally {
      lock.unlock();
    }
    held.close();
  }

  @Override
  public void onComplete() {
    held.close();
  }

  /** Sends unread results, as many as the transport takes or, at the end, all. */
  private void flush(boolean all) {
    while (all || client.isReady()) {
      BatchResult result = unread.poll();
      if (result == null) {
        return;
      }
      client.sendMessage(result.toPutResult());
      opening.metrics().results.increment();
    }
  }

  /** An error found here: the ingestor finishes what it has, then the client is told. */
  private void fail(Status status) {
    lock.lock();
    try {
      if (ended || failure != null) {
        return;
      }
      if (upstream == null) {
        end(status);
        return;
      }
      failure = status;
      if (!halfClosed) {
        upstream.halfClose();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void tooLarge() {
    fail(FlightErrors.toStatus(opening.tooLarge()));
  }

  @Override
  public void overflow() {
    lock.lock();
    try {
      if (!ended && upstream != null) {
        upstream.cancel("too many bytes", null);
      }
      end(failure != null ? failure : FlightErrors.toStatus(HeldBytes.overflow(principal)));
    } finally {
      lock.unlock();
    }
  }

  /** The caller holds the lock. */
  private void end(Status status) {
    if (ended) {
      return;
    }
    ended = true;
    endedNanos = opening.nanos();
    flush(true);
    client.close(status, new Metadata());
  }

  /** What the ingestor says. */
  private final class Results extends ClientCall.Listener<Flight.PutResult> {
    private final Ingestor ingestor;
    private final Ack ack;

    Results(Ingestor ingestor, Ack ack) {
      this.ingestor = ingestor;
      this.ack = ack;
    }

    @Override
    public void onMessage(Flight.PutResult result) {
      lock.lock();
      try {
        if (ended || upstream == null) {
          return;
        }
        if (!opened) {
          StreamOpened _ = StreamOpened.of(result.getAppMetadata());
          opened = true;
        } else {
          pass(result);
        }
        upstream.request(1);
      } catch (WingsException e) {
        refuse(e);
      } finally {
        lock.unlock();
      }
    }

    private void pass(Flight.PutResult result) {
      if (ack == Ack.DURABLE && unread.isEmpty() && client.isReady()) {
        client.sendMessage(result);
        opening.metrics().results.increment();
        return;
      }
      BatchResult answer = BatchResult.of(result.getAppMetadata());
      if (ack.tells(answer.status())) {
        unread.add(answer);
        flush(false);
      }
    }

    /** The client has to be told now; more results can't be kept, or make no sense. */
    private void refuse(WingsException e) {
      if (upstream != null) {
        upstream.cancel(e.code(), null);
      }
      end(
          FlightErrors.toStatus(
              e.code().equals("results-unread")
                  ? e
                  : new WingsException(
                      ErrorKind.INTERNAL,
                      "ingestor-misunderstood",
                      "an ingestor answered what this load balancer can't read: " + e.getMessage(),
                      e)));
    }

    @Override
    public void onReady() {
      readOn();
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      boolean drop;
      lock.lock();
      try {
        if (ended) {
          return;
        }
        drop = awaitingIngestor;
        awaitingIngestor = false;
        Status told = failure;
        if (told == null || !status.isOk()) {
          told =
              status.isOk() && !halfClosed
                  ? IngestorErrors.toClient(ingestor, Status.UNAVAILABLE)
                  : IngestorErrors.toClient(ingestor, status);
        }
        end(told);
      } finally {
        lock.unlock();
      }
      if (drop) {
        held.releaseAll();
        drop();
      }
    }
  }
}
