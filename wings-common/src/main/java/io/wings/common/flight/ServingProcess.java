package io.wings.common.flight;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import org.jspecify.annotations.Nullable;

/**
 * Which process answers a call, told in the headers of every answer: whoever's call broke off can
 * tell by the next one whether the process is gone or only the way to it was broken.
 *
 * @param id drawn when the process starts
 */
public record ServingProcess(String id) {
  private static final Metadata.Key<String> HEADER =
      Metadata.Key.of("wings-process", Metadata.ASCII_STRING_MARSHALLER);

  /** The process that sent these headers; null for one that doesn't say. */
  public static @Nullable ServingProcess of(Metadata headers) {
    String id = headers.get(HEADER);
    return id == null ? null : new ServingProcess(id);
  }

  /** Tells it with every answer. */
  public ServerInterceptor telling() {
    return new ServerInterceptor() {
      @Override
      public <Q, R> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        return next.startCall(new Telling<>(call), headers);
      }
    };
  }

  private final class Telling<Q, R> extends SimpleForwardingServerCall<Q, R> {
    Telling(ServerCall<Q, R> call) {
      super(call);
    }

    @Override
    public void sendHeaders(Metadata headers) {
      headers.put(HEADER, id);
      super.sendHeaders(headers);
    }
  }
}
