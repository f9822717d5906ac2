package io.wings.broker.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.wings.common.cluster.ClusterToken;

/** Refuses callers that don't know the cluster's secret. */
public final class TokenCheck implements ServerInterceptor {
  private final ClusterToken token;

  public TokenCheck(ClusterToken token) {
    this.token = token;
  }

  @Override
  public <A, B> ServerCall.Listener<A> interceptCall(
      ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
    if (token.matches(headers)) {
      return next.startCall(call, headers);
    }
    call.close(
        Status.UNAUTHENTICATED.withDescription(
            "unauthenticated: the broker answers the cluster's own roles only"),
        new Metadata());
    return new ServerCall.Listener<>() {};
  }
}
