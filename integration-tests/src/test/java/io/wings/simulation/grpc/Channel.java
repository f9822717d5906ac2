package io.wings.simulation.grpc;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connects when first used, and again after its connection broke. */
final class Channel extends ManagedChannel {
  /** Until an address that doesn't answer counts as such. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(20);

  private final Transport transport;
  private final SimulatedProcess client;
  private final String target;
  private final Set<ClientEnd<?, ?>> open = new LinkedHashSet<>();
  private @Nullable Wire wire;
  private boolean shutdown;

  Channel(Transport transport, SimulatedProcess client, String target) {
    this.transport = transport;
    this.client = client;
    this.target = target;
  }

  @Override
  public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
    return new ClientEnd<>(method, options);
  }

  /** One call, as its client has it. */
  private final class ClientEnd<Q, R> extends ClientCall<Q, R> {
    private final MethodDescriptor<Q, R> method;
    private final CallOptions options;
    private final Serial thread;
    private @Nullable Call<Q, R> call;
    private @Nullable Listener<R> listener;
    private boolean failed;

    ClientEnd(MethodDescriptor<Q, R> method, CallOptions options) {
      this.method = method;
      this.options = options;
      this.thread = new Serial(client, "grpc-" + method.getBareMethodName());
    }

    @Override
    public void start(Listener<R> listener, Metadata headers) {
      this.listener = new Leaving<>(listener, () -> open.remove(this));
      open.add(this);
      Deadline deadline = options.getDeadline();
      if (deadline != null) {
        transport.scheduler().after(left(deadline), this::late);
      }
      if (shutdown) {
        fail(Status.UNAVAILABLE.withDescription("Channel shutdown invoked"));
        return;
      }
      Wire to = connected();
      if (to == null) {
        return;
      }
      Call<Q, R> begun = new Call<>(method, to, transport, this.listener, thread);
      call = begun;
      begun.start(headers);
    }

    /** A usable connection; null where there will be none. */
    private @Nullable Wire connected() {
      Wire known = wire;
      if (known != null && known.isUsable() && !transport.isStopping(known.server())) {
        return known;
      }
      SimulatedProcess server = transport.network().process(target).orElse(null);
      if (transport.network().cuts(client.name(), target)
          || transport.network().cuts(target, client.name())) {
        transport
            .scheduler()
            .after(
                CONNECT_TIMEOUT,
                () -> fail(Status.UNAVAILABLE.withDescription("connection timed out")));
        return null;
      }
      if (server == null || server.dead() || !transport.serves(server)) {
        transport
            .scheduler()
            .after(
                transport.network().latency(),
                () -> fail(Status.UNAVAILABLE.withDescription("Connection refused")));
        return null;
      }
      Wire opened = new Wire(transport.scheduler(), transport.network(), client, server);
      wire = opened;
      return opened;
    }

    private void late() {
      end(Status.DEADLINE_EXCEEDED.withDescription("deadline exceeded"));
    }

    private void end(Status with) {
      Call<Q, R> begun = call;
      if (begun != null) {
        begun.cancel(with);
      } else {
        fail(with);
      }
    }

    private void fail(Status with) {
      Listener<R> told = listener;
      if (!failed && call == null && told != null) {
        failed = true;
        thread.execute(() -> told.onClose(with, new Metadata()));
      }
    }

    @Override
    public void request(int messages) {
      if (call != null) {
        call.request(messages);
      }
    }

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {
      end(Status.CANCELLED.withDescription(message));
    }

    @Override
    public void halfClose() {
      if (call != null) {
        call.halfClose();
      }
    }

    @Override
    public void sendMessage(Q message) {
      if (call != null) {
        call.send(message);
      }
    }

    @Override
    public boolean isReady() {
      return call != null && call.isReady();
    }
  }

  /** In whole seconds, so that the machine's clock, by which gRPC counts, has no part in a run. */
  private static Duration left(Deadline deadline) {
    long nanos = deadline.timeRemaining(TimeUnit.NANOSECONDS);
    return Duration.ofSeconds(Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1)));
  }

  /** A listener behind which something is done at the end. */
  private static final class Leaving<R>
      extends io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener<R> {
    private final Runnable end;

    Leaving(ClientCall.Listener<R> listener, Runnable end) {
      super(listener);
      this.end = end;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      end.run();
      super.onClose(status, trailers);
    }
  }

  @Override
  public String authority() {
    return target;
  }

  @Override
  public ManagedChannel shutdown() {
    shutdown = true;
    return this;
  }

  @Override
  public ManagedChannel shutdownNow() {
    shutdown = true;
    List.copyOf(open)
        .forEach(one -> one.end(Status.UNAVAILABLE.withDescription("Channel shutdownNow invoked")));
    return this;
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown && open.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return isTerminated();
  }
}
