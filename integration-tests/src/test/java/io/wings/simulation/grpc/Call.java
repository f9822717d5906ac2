package io.wings.simulation.grpc;

import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call on a connection, seen from both ends. */
final class Call<Q, R> {
  /** What gRPC puts before each message. */
  private static final int ENVELOPE_BYTES = 5;

  private final MethodDescriptor<Q, R> method;
  private final Wire wire;
  private final Transport transport;
  private final Transport.Watcher watcher;
  private final ClientCall.Listener<R> client;
  private final Serial clientThread;
  private final Serial serverThread;

  /** Counts what arrives, ahead of what is given to the server's listener. */
  private final Serial serverTransport;

  private final Way requests;
  private final Way responses;
  private final ServerEnd serverEnd = new ServerEnd();

  private List<ServerStreamTracer> tracers = List.of();
  private ServerCall.@Nullable Listener<Q> server;
  private boolean clientClosed;
  private boolean serverOver;
  private boolean trailersWait;
  private Status status = Status.OK;

  Call(
      MethodDescriptor<Q, R> method,
      Wire wire,
      Transport transport,
      ClientCall.Listener<R> client,
      Serial clientThread) {
    this.method = method;
    this.wire = wire;
    this.transport = transport;
    this.watcher = transport.watcher();
    this.client = client;
    this.clientThread = clientThread;
    String name = "grpc-" + method.getBareMethodName();
    this.serverThread = new Serial(wire.server(), name);
    this.serverTransport = new Serial(wire.server(), "grpc-transport");
    this.requests =
        new Way(
            wire,
            true,
            serverTransport,
            serverThread,
            clientThread,
            this::count,
            this::requestTaken,
            () -> listener().onHalfClose(),
            this::clientReady);
    this.responses =
        new Way(
            wire,
            false,
            null,
            clientThread,
            serverThread,
            _ -> {},
            this::responseTaken,
            this::ended,
            this::serverReady);
    wire.add(this);
  }

  // --- the client's end
  // ---------------------------------------------------------------------------

  void start(Metadata headers) {
    requests.send(
        () -> {
          serverThread.execute(() -> accept(headers));
          wire.after(() -> clientThread.execute(this::clientReady));
        });
  }

  void request(int messages) {
    responses.request(messages);
  }

  void halfClose() {
    requests.end();
  }

  void send(Q message) {
    byte[] bytes = bytes(method.streamRequest(message));
    if (!clientClosed) {
      watcher.sent(wire.client(), wire.server(), this, message);
      requests.message(bytes);
    }
  }

  boolean isReady() {
    return !clientClosed && requests.isReady();
  }

  /** The client gives up, and says so. */
  void cancel(Status why) {
    if (!clientClosed) {
      closeClient(why);
      requests.send(this::lostByServer);
    }
  }

  void lostByClient() {
    if (!clientClosed) {
      closeClient(Status.UNAVAILABLE.withDescription("io exception"));
    }
  }

  private void closeClient(Status with) {
    clientClosed = true;
    responses.close();
    leave();
    watcher.ended(wire.client(), wire.server(), this, with);
    clientThread.execute(() -> client.onClose(with, new Metadata()));
  }

  private void responseTaken(byte[] bytes) {
    if (!clientClosed) {
      client.onMessage(method.parseResponse(new ByteArrayInputStream(bytes)));
    }
    if (trailersWait && responses.isReady()) {
      flushTrailers();
    }
  }

  private void ended() {
    if (!clientClosed) {
      clientClosed = true;
      requests.close();
      leave();
      watcher.ended(wire.client(), wire.server(), this, status);
      client.onClose(status, new Metadata());
    }
  }

  private void clientReady() {
    if (!clientClosed) {
      client.onReady();
    }
  }

  /** The connection needn't tell it any more. */
  private void leave() {
    if (clientClosed && serverOver) {
      wire.remove(this);
    }
  }

  // --- the server's end
  // ---------------------------------------------------------------------------

  private void accept(Metadata headers) {
    Transport.Server at = transport.server(wire.server());
    tracers =
        at.tracers().stream()
            .map(one -> one.newServerStreamTracer(method.getFullMethodName(), headers))
            .toList();
    Context context = Context.ROOT;
    for (ServerStreamTracer tracer : tracers) {
      context = tracer.filterContext(context);
    }
    // The method is looked up by name, and both ends have the same types.
    @SuppressWarnings("unchecked")
    ServerMethodDefinition<Q, R> definition =
        (ServerMethodDefinition<Q, R>) at.method(method.getFullMethodName());
    context.run(() -> server = definition.getServerCallHandler().startCall(serverEnd, headers));
    listener().onReady();
  }

  private ServerCall.Listener<Q> listener() {
    ServerCall.Listener<Q> known = server;
    if (known == null) {
      throw new IllegalStateException("a message before its call");
    }
    return known;
  }

  private void count(byte[] bytes) {
    for (ServerStreamTracer tracer : tracers) {
      tracer.inboundWireSize(bytes.length + (long) ENVELOPE_BYTES);
      tracer.inboundMessageRead(0, bytes.length, bytes.length);
    }
  }

  private void requestTaken(byte[] bytes) {
    if (!serverOver) {
      listener().onMessage(method.parseRequest(new ByteArrayInputStream(bytes)));
    }
  }

  /** The client, or the way to it, is gone. */
  void lostByServer() {
    if (!serverOver) {
      overAtServer(Status.CANCELLED);
      serverThread.execute(
          () -> {
            if (server != null) {
              server.onCancel();
            }
          });
    }
  }

  private void overAtServer(Status with) {
    serverOver = true;
    trailersWait = false;
    requests.close();
    leave();
    serverTransport.execute(() -> tracers.forEach(tracer -> tracer.streamClosed(with)));
  }

  private void serverReady() {
    if (!serverOver) {
      listener().onReady();
    }
  }

  private void flushTrailers() {
    trailersWait = false;
    wire.after(
        () -> {
          if (!serverOver) {
            overAtServer(status);
            serverThread.execute(() -> listener().onComplete());
          }
        });
  }

  private final class ServerEnd extends ServerCall<Q, R> {
    private boolean headersSent;
    private boolean closed;

    @Override
    public void request(int messages) {
      requests.request(messages);
    }

    @Override
    public void sendHeaders(Metadata headers) {
      if (!headersSent) {
        headersSent = true;
        responses.send(
            () ->
                clientThread.execute(
                    () -> {
                      if (!clientClosed) {
                        client.onHeaders(headers);
                      }
                    }));
      }
    }

    @Override
    public void sendMessage(R message) {
      if (closed || !headersSent) {
        throw new IllegalStateException("a message after the end, or before the headers");
      }
      if (!serverOver) {
        responses.message(bytes(method.streamResponse(message)));
      }
    }

    @Override
    public boolean isReady() {
      return !serverOver && !closed && responses.isReady();
    }

    @Override
    public void close(Status with, Metadata trailers) {
      if (closed) {
        throw new IllegalStateException("a call ends once");
      }
      closed = true;
      status = with.withCause(null);
      if (!serverOver) {
        responses.end();
        trailersWait = true;
        if (responses.isReady()) {
          flushTrailers();
        }
      }
    }

    @Override
    public boolean isCancelled() {
      return serverOver && !closed;
    }

    @Override
    public MethodDescriptor<Q, R> getMethodDescriptor() {
      return method;
    }
  }

  private static byte[] bytes(InputStream message) {
    try (message) {
      return message.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
