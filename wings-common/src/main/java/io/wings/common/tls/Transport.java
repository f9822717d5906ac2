package io.wings.common.tls;

import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;

/** How the roles of a cluster connect to one another. */
public sealed interface Transport extends AutoCloseable {
  /** The builder of a port that only roles connect to, with what this asks of them. */
  NettyServerBuilder server(NettyServerBuilder builder);

  /** The builder of a connection to a role. */
  NettyChannelBuilder client(NettyChannelBuilder builder);

  @Override
  void close();

  /** For a network that is trusted. */
  enum Plaintext implements Transport {
    INSTANCE;

    @Override
    public NettyServerBuilder server(NettyServerBuilder builder) {
      return builder;
    }

    @Override
    public NettyChannelBuilder client(NettyChannelBuilder builder) {
      return builder.usePlaintext();
    }

    @Override
    public void close() {}
  }

  /**
   * Both ends show a certificate of the cluster's.
   *
   * @param tls of a cluster
   */
  record Mutual(Tls tls) implements Transport {
    @Override
    public NettyServerBuilder server(NettyServerBuilder builder) {
      return builder.sslContext(tls.grpcServer(Tls.Asking.REQUIRES));
    }

    @Override
    public NettyChannelBuilder client(NettyChannelBuilder builder) {
      return builder.useTransportSecurity().sslContext(tls.grpcClient());
    }

    @Override
    public void close() {
      tls.close();
    }
  }
}
