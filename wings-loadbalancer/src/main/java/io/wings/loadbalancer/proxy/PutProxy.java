package io.wings.loadbalancer.proxy;

import static java.util.Objects.requireNonNull;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.wings.common.auth.Identity;
import io.wings.common.error.WingsException;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.StreamRequest;
import io.wings.common.flight.TableName;
import io.wings.common.flight.UnreadResults;
import io.wings.common.grant.Audit;
import io.wings.loadbalancer.relay.Action;
import io.wings.loadbalancer.relay.Frame;
import io.wings.loadbalancer.relay.Relay;
import io.wings.loadbalancer.relay.Send;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * One DoPut stream between a client and the ingestors that serve it in turn. What is kept and what
 * is to be done, its {@link Relay} decides.
 *
 * <ul>
 *   <li>Frames: the next one is read only when the last one has been taken by the transport to the
 *       ingestor, and while there is room for what is kept until it is answered.
 *   <li>Results: always read, so that a client which doesn't read can't stall its ingestor; those
 *       that it hasn't read merge into ranges.
 *   <li>An error found here ends the stream when everything before it has been answered.
 *   <li>After the end, frames are read and dropped for a while: a client that reads nothing while
 *       it sends can't see the end otherwise, because its flow control holds the trailers back.
 * </ul>
 */
final class PutProxy extends ServerCall.Listener<FlightFrame>
    implements Arriving.Refusal, Rechecks.Rechecked {
  /** What gRPC puts before each message. */
  private static final int ENVELOPE_BYTES = 5;

  private final ServerCall<FlightFrame, Flight.PutResult> client;
  private final Identity caller;
  private final PutOpening opening;
  private final HeldBytes.Share held;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final UnreadResults unread = new UnreadResults();

  private @Nullable StreamRequest request;
  private @Nullable Relay<FlightFrame> relay;
  private @Nullable Upstream upstream;
  private boolean reading = true;
  private boolean halfClosed;

  /** The client has been told the end, or is gone. */
  private boolean ended;

  private long endedNanos;

  PutProxy(
      ServerCall<FlightFrame, Flight.PutResult> client,
      Identity caller,
      PutOpening opening,
      HeldBytes.Share held) {
    this.client = client;
    this.caller = caller;
    this.opening = opening;
    this.held = held;
  }

  @Override
  public void onMessage(FlightFrame frame) {
    held.arrived();
    long bytes = frame.size() + (long) ENVELOPE_BYTES;
    boolean kept = false;
    try {
      StreamRequest asked = first(frame);
      lock.lock();
      try {
        reading = false;
        if (relay != null && !ended) {
          Frame.Kind kind =
              relay.hasSchema() ? FrameKinds.of(frame, asked) : FrameKinds.ofFirst(frame);
          kept = true;
          relay.frame(new Frame<>(frame, kind, bytes));
          step();
        }
      } finally {
        lock.unlock();
      }
    } catch (RuntimeException e) {
      reading(false);
      fail(FlightErrors.fromThrowable(known(e)));
    }
    if (!kept) {
      held.release(bytes);
      drop();
    }
  }

  private String address() {
    return Audit.address(client.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
  }

  private static Throwable known(RuntimeException e) {
    return e instanceof WingsException ? e : FlightErrors.toException(e);
  }

  private void reading(boolean now) {
    lock.lock();
    try {
      reading = now;
    } finally {
      lock.unlock();
    }
  }

  /** The stream's request, which its first message carries and no other may. */
  private StreamRequest first(FlightFrame frame) {
    StreamRequest known = request;
    if (known != null) {
      if (frame.hasDescriptor()) {
        throw WingsException.invalid(
            "descriptor-repeated", "only the first message of a stream carries a descriptor");
      }
      return known;
    }
    if (isOver()) {
      throw WingsException.unavailable("stream-over", "the stream has ended", null);
    }
    PutOpening.Opened begun = opening.open(caller, frame);
    StreamRequest asked = begun.request();
    held.tenant(asked.catalog().toString());
    lock.lock();
    try {
      request = asked;
      if (!ended) {
        relay = new Relay<>(asked, begun.anew(), opening.limits().relay());
        upstream =
            new Upstream(caller.principal(), address(), asked, opening, lock, this::happened);
        client.sendHeaders(new Metadata());
        opening.metrics().streams.increment();
      }
    } finally {
      lock.unlock();
    }
    return asked;
  }

  private boolean isOver() {
    lock.lock();
    try {
      return ended;
    } finally {
      lock.unlock();
    }
  }

  /** Reads on, to drop what comes. */
  private void drop() {
    boolean lingering;
    lock.lock();
    try {
      lingering = !reading && (!ended || opening.isLingering(endedNanos));
      reading |= lingering;
    } finally {
      lock.unlock();
    }
    if (lingering) {
      client.request(1);
    }
  }

  /** A wait until what the stream has taken by now is answered. */
  @FunctionalInterface
  interface Taken {
    /** False when the time ran out. What a stream that ended leaves behind isn't waited for. */
    boolean awaitAnswered(Duration patience) throws InterruptedException;
  }

  /**
   * What the stream has taken by now.
   *
   * @param lane null for any
   * @return null where it has taken nothing for that table and lane
   */
  @Nullable Taken taken(TableName table, @Nullable Integer lane) {
    lock.lock();
    try {
      StreamRequest asked = request;
      Relay<FlightFrame> stream = relay;
      if (asked == null
          || stream == null
          || !asked.tableName().equals(table)
          || (lane != null && lane != asked.lane())) {
        return null;
      }
      long batches = stream.taken();
      return patience -> awaitAnswered(stream, batches, patience);
    } finally {
      lock.unlock();
    }
  }

  private boolean awaitAnswered(Relay<FlightFrame> stream, long batches, Duration patience)
      throws InterruptedException {
    long sinceNanos = opening.nanos();
    lock.lockInterruptibly();
    try {
      while (!ended && !stream.hasAnswered(batches)) {
        Duration left = patience.minus(opening.since(sinceNanos));
        if (!left.isPositive()) {
          return false;
        }
        boolean _ = opening.await(lock, changed, left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Does what is to be done. The caller holds the lock. */
  private void step() {
    changed.signalAll();
    Relay<FlightFrame> stream = relay;
    Upstream to = upstream;
    if (stream == null || to == null) {
      return;
    }
    if (!held.lasts(stream.lasting())) {
      stream.fail(HeldBytes.lastingOverflow(requireNonNull(request).catalog().toString()));
    }
    boolean sent = true;
    while (sent) {
      for (Action next = stream.nextAction(); next != null; next = stream.nextAction()) {
        perform(stream, to, next);
      }
      sent = send(stream, to);
    }
    if (stream.isOver()) {
      boolean _ = held.lasts(0);
    }
    if (!reading && stream.wantsMore()) {
      reading = true;
      held.whenRoom(() -> client.request(1));
    } else if (!reading && stream.isFull()) {
      opening.metrics().full.increment();
    }
  }

  /** True while there may be more to do. */
  private boolean send(Relay<FlightFrame> stream, Upstream to) {
    if (!to.isReady()) {
      return false;
    }
    Send<FlightFrame> send = stream.nextSend();
    if (send == null) {
      // Asking may have half-closed.
      Action next = stream.nextAction();
      if (next != null) {
        perform(stream, to, next);
      }
      return next != null;
    }
    StreamRequest descriptor = send.request();
    FlightFrame frame =
        descriptor == null
            ? send.payload()
            : send.payload().withDescriptor(descriptor.toDescriptor());
    to.send(frame);
    opening.metrics().sent(frame.size(), send.again());
    return true;
  }

  private void perform(Relay<FlightFrame> stream, Upstream to, Action action) {
    switch (action) {
      case Action.Open open -> to.seek(open);
      case Action.HalfClose(int _) -> to.halfClose();
      case Action.Cancel(int _) -> to.cancel("the stream is over");
      case Action.FindOut(int call) -> to.findOut(call);
      case Action.Leave() -> to.leave();
      case Action.Tell(BatchResult result) -> {
        try {
          unread.add(result);
          flush(false);
        } catch (WingsException e) {
          stream.abort(e);
        }
      }
      case Action.Free(long bytes) -> held.release(bytes);
      case Action.End(WingsException error) -> {
        if (error != null && error.code().equals("suspect-batch")) {
          opening.metrics().suspects.increment();
        }
        end(error == null ? Status.OK : FlightErrors.toStatus(error));
      }
    }
  }

  /** Something came from the ingestors' side. */
  private void happened(Consumer<Relay<FlightFrame>> event) {
    lock.lock();
    try {
      Relay<FlightFrame> stream = relay;
      if (stream != null && !ended) {
        event.accept(stream);
        step();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onHalfClose() {
    lock.lock();
    try {
      halfClosed = true;
      if (relay != null) {
        relay.clientDone();
        step();
      } else if (!ended) {
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
      if (!ended) {
        ended = true;
        endedNanos = opening.nanos();
      }
      if (relay != null) {
        relay.clientGone();
        step();
      }
      if (upstream != null) {
        upstream.end("the client went away");
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

  /** The stream ends with this, once what came before has been answered. */
  void fail(WingsException error) {
    lock.lock();
    try {
      if (relay != null) {
        relay.fail(error);
        step();
      } else if (!ended) {
        end(FlightErrors.toStatus(error));
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void requireStill(Identity now) {
    StreamRequest asked;
    lock.lock();
    try {
      asked = ended ? null : request;
    } finally {
      lock.unlock();
    }
    if (asked != null) {
      opening.requireStill(now, asked);
    }
  }

  @Override
  public void revoke(WingsException why) {
    fail(why);
  }

  @Override
  public void tooLarge() {
    fail(opening.tooLarge());
  }

  @Override
  public void overflow() {
    lock.lock();
    try {
      if (relay != null) {
        relay.abort(HeldBytes.overflow(caller.principal()));
        step();
      } else if (!ended) {
        end(FlightErrors.toStatus(HeldBytes.overflow(caller.principal())));
      }
    } finally {
      lock.unlock();
    }
  }

  /** The caller holds the lock. */
  private void end(Status status) {
    if (upstream != null) {
      upstream.end("the stream is over");
    }
    if (ended) {
      return;
    }
    ended = true;
    changed.signalAll();
    endedNanos = opening.nanos();
    flush(true);
    client.close(status, new Metadata());
    if (!reading && !halfClosed) {
      reading = true;
      client.request(1);
    }
  }
}
