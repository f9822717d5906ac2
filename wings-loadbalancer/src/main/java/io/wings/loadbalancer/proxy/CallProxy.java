package io.wings.loadbalancer.proxy;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.FlightErrors;
import io.wings.loadbalancer.fleet.Ingestor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A call with one request and any number of replies: the request is routed and made canonical, the
 * replies pass untouched, one at a time as fast as the client takes them.
 */
final class CallProxy<Q, R> extends ServerCall.Listener<Q> implements Arriving.Refusal {
  /** What becomes of a request. */
  sealed interface Route<Q, R> {}

  /** It goes to an ingestor, as one takes it. */
  record Routed<Q, R>(Ingestor ingestor, Q request) implements Route<Q, R> {}

  /** It has been answered. */
  record Answered<Q, R>(R reply) implements Route<Q, R> {}

  /** Reads a client's request; may block. */
  @FunctionalInterface
  interface Router<Q, R> {
    /**
     * Where a request goes, and as what; or its answer.
     *
     * @throws WingsException that ends the call
     */
    Route<Q, R> route(String principal, Q request);
  }

  private final ServerCall<Q, R> client;
  private final String principal;
  private final ClusterIdentity identity;
  private final Router<Q, R> router;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable ClientCall<Q, R> upstream;
  private boolean awaitingClient;
  private boolean ended;

  CallProxy(
      ServerCall<Q, R> client, String principal, ClusterIdentity identity, Router<Q, R> router) {
    this.client = client;
    this.principal = principal;
    this.identity = identity;
    this.router = router;
  }

  @Override
  public void onMessage(Q request) {
    Route<Q, R> route;
    try {
      route = router.route(principal, request);
    } catch (RuntimeException e) {
      end(FlightErrors.toStatus(e));
      return;
    }
    switch (route) {
      case Routed<Q, R> routed -> forward(routed);
      case Answered<Q, R>(R reply) -> answer(reply);
    }
  }

  private void answer(R reply) {
    lock.lock();
    try {
      if (!ended) {
        client.sendHeaders(new Metadata());
        client.sendMessage(reply);
        end(Status.OK);
      }
    } finally {
      lock.unlock();
    }
  }

  private void forward(Routed<Q, R> routed) {
    lock.lock();
    try {
      if (ended || upstream != null) {
        return;
      }
      CallOptions options = CallOptions.DEFAULT.withDeadline(Context.current().getDeadline());
      ClientCall<Q, R> call = routed.ingestor.newCall(client.getMethodDescriptor(), options);
      upstream = call;
      call.start(new Replies(routed.ingestor), identity.headers(principal));
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
      if (upstream == null && !ended) {
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
  public void tooLarge() {
    end(
        FlightErrors.toStatus(
            WingsException.invalid("message-too-large", "the request is larger than allowed")));
  }

  @Override
  public void overflow() {
    end(FlightErrors.toStatus(HeldBytes.overflow(principal)));
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
    private final Ingestor ingestor;
    private boolean sentHeaders;

    Replies(Ingestor ingestor) {
      this.ingestor = ingestor;
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
        client.sendMessage(reply);
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
      lock.lock();
      try {
        if (!ended && status.isOk() && !sentHeaders) {
          sentHeaders = true;
          client.sendHeaders(new Metadata());
        }
        if (!ended) {
          end(IngestorErrors.toClient(ingestor, status));
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
