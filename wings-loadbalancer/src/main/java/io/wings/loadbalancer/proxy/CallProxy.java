package io.wings.loadbalancer.proxy;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.wings.common.auth.Identity;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.FlightErrors;
import io.wings.loadbalancer.fleet.Ingestor;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call with one request and any number of replies: the request is routed and made canonical, the
 * replies pass untouched, one at a time as fast as the client takes them. Where the ingestor goes
 * away before its first reply, a call that may be repeated is made at the next one.
 */
final class CallProxy<Q, R> extends ServerCall.Listener<Q>
    implements Arriving.Refusal, Rechecks.Rechecked {
  /** What becomes of a request. */
  sealed interface Route<Q, R> {}

  /**
   * It goes to an ingestor, as one takes it.
   *
   * @param ingestor chooses one; may block
   * @param repeatable whether it does no harm, and answers the same, when it is done twice
   * @param shown which replies are for the client
   */
  record Routed<Q, R>(
      Supplier<Ingestor> ingestor, Q request, boolean repeatable, Predicate<R> shown)
      implements Route<Q, R> {
    /** One whose replies are all for the client. */
    Routed(Supplier<Ingestor> ingestor, Q request, boolean repeatable) {
      this(ingestor, request, repeatable, _ -> true);
    }
  }

  /** It has been answered. */
  record Answered<Q, R>(List<R> replies) implements Route<Q, R> {}

  /** Reads a client's request; may block. */
  @FunctionalInterface
  interface Router<Q, R> {
    /**
     * Where a request goes, and as what; or its answer.
     *
     * @throws WingsException that ends the call
     */
    Route<Q, R> route(Identity caller, Q request);
  }

  private final ServerCall<Q, R> client;
  private final Identity caller;
  private final ClusterIdentity identity;
  private final Router<Q, R> router;
  private final BiConsumer<Identity, Q> require;
  private final @Nullable Deadline deadline = Context.current().getDeadline();
  private final ReentrantLock lock = new ReentrantLock();
  private boolean asked;
  private @Nullable ClientCall<Q, R> upstream;

  /** Where it went; null before, and for one that is answered here. */
  private @Nullable Routed<Q, R> going;

  private boolean awaitingClient;
  private boolean ended;

  /**
   * @param require returns for a caller who may ask that, as the router does
   */
  CallProxy(
      ServerCall<Q, R> client,
      Identity caller,
      ClusterIdentity identity,
      Router<Q, R> router,
      BiConsumer<Identity, Q> require) {
    this.client = client;
    this.caller = caller;
    this.identity = identity;
    this.router = router;
    this.require = require;
  }

  @Override
  public void onMessage(Q request) {
    lock.lock();
    try {
      if (asked || ended) {
        return;
      }
      asked = true;
    } finally {
      lock.unlock();
    }
    Route<Q, R> route;
    try {
      route = router.route(caller, request);
    } catch (RuntimeException e) {
      end(FlightErrors.toStatus(e));
      return;
    }
    switch (route) {
      case Routed<Q, R> routed -> forward(routed, 1);
      case Answered<Q, R>(List<R> replies) -> answer(replies);
    }
  }

  private void answer(List<R> replies) {
    lock.lock();
    try {
      if (!ended) {
        client.sendHeaders(new Metadata());
        replies.forEach(client::sendMessage);
        end(Status.OK);
      }
    } finally {
      lock.unlock();
    }
  }

  private void forward(Routed<Q, R> routed, int attempt) {
    Ingestor ingestor;
    try {
      ingestor = routed.ingestor.get();
    } catch (WingsException e) {
      end(FlightErrors.toStatus(e));
      return;
    }
    lock.lock();
    try {
      if (ended) {
        return;
      }
      CallOptions options = CallOptions.DEFAULT.withDeadline(deadline);
      ClientCall<Q, R> call = ingestor.newCall(client.getMethodDescriptor(), options);
      upstream = call;
      going = routed;
      call.start(new Replies(routed, ingestor, attempt), identity.headers(caller.principal()));
      call.request(1);
      call.sendMessage(routed.request);
      call.halfClose();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onHalfClose() {
    lock.lock();
    try {
      if (!asked && !ended) {
        end(
            FlightErrors.toStatus(
                WingsException.invalid("request-missing", "the call carries no request")));
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onReady() {
    lock.lock();
    try {
      if (awaitingClient && upstream != null) {
        awaitingClient = false;
        upstream.request(1);
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
      if (upstream != null) {
        upstream.cancel("the client went away", null);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void requireStill(Identity now) {
    Routed<Q, R> waiting = repeatable();
    if (waiting != null) {
      require.accept(now, waiting.request);
    }
  }

  @Override
  public void revoke(WingsException why) {
    lock.lock();
    try {
      if (asked && repeatable() == null) {
        return;
      }
      end(FlightErrors.toStatus(why));
      if (upstream != null) {
        upstream.cancel("the caller may not go on", null);
      }
    } finally {
      lock.unlock();
    }
  }

  /** What is waited for that does nothing: who asked for more is told how that ended. */
  private @Nullable Routed<Q, R> repeatable() {
    lock.lock();
    try {
      return going != null && going.repeatable ? going : null;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void tooLarge() {
    end(
        FlightErrors.toStatus(
            WingsException.invalid("message-too-large", "the request is larger than allowed")));
  }

  @Override
  public void overflow() {
    end(FlightErrors.toStatus(HeldBytes.overflow(caller.principal())));
  }

  private void end(Status status) {
    lock.lock();
    try {
      if (!ended) {
        ended = true;
        client.close(status, new Metadata());
      }
    } finally {
      lock.unlock();
    }
  }

  private final class Replies extends ClientCall.Listener<R> {
    private final Routed<Q, R> routed;
    private final Ingestor ingestor;
    private final int attempt;
    private boolean sentHeaders;

    Replies(Routed<Q, R> routed, Ingestor ingestor, int attempt) {
      this.routed = routed;
      this.ingestor = ingestor;
      this.attempt = attempt;
    }

    @Override
    public void onMessage(R reply) {
      lock.lock();
      try {
        if (ended) {
          return;
        }
        if (!sentHeaders) {
          sentHeaders = true;
          client.sendHeaders(new Metadata());
        }
        if (routed.shown.test(reply)) {
          client.sendMessage(reply);
        }
        if (client.isReady() && upstream != null) {
          upstream.request(1);
        } else {
          awaitingClient = true;
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (status.isOk()) {
        endWell();
        return;
      }
      WingsException error = IngestorErrors.of(ingestor, status);
      boolean another =
          routed.repeatable
              && !sentHeaders
              && attempt < Routing.MAX_ATTEMPTS
              && IngestorErrors.isGone(error);
      if (another) {
        forward(routed, attempt + 1);
      } else {
        end(FlightErrors.isWings(status) ? status.withCause(null) : FlightErrors.toStatus(error));
      }
    }

    private void endWell() {
      lock.lock();
      try {
        if (!ended && !sentHeaders) {
          sentHeaders = true;
          client.sendHeaders(new Metadata());
        }
        end(Status.OK);
      } finally {
        lock.unlock();
      }
    }
  }
}
