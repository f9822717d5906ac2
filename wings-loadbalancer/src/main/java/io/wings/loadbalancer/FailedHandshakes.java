package io.wings.loadbalancer;

import io.grpc.ServerCredentials;
import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.InternalNettyServerCredentials;
import io.grpc.netty.InternalProtocolNegotiator.ProtocolNegotiator;
import io.grpc.netty.InternalProtocolNegotiators;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AsciiString;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.function.BiConsumer;

/**
 * TLS of a server that is told of the clients with whom it fails. gRPC has no place to ask, but
 * where its own negotiation is put together. Who only connects and goes, as probes do, has not
 * failed.
 */
final class FailedHandshakes implements ProtocolNegotiator {
  private final ProtocolNegotiator tls;
  private final BiConsumer<SocketAddress, String> told;

  private FailedHandshakes(ProtocolNegotiator tls, BiConsumer<SocketAddress, String> told) {
    this.tls = tls;
    this.told = told;
  }

  /**
   * For a server's builder.
   *
   * @param told from where one came, and what was wrong, without what it has sent
   */
  static ServerCredentials toldTo(BiConsumer<SocketAddress, String> told, SslContext tls) {
    return InternalNettyServerCredentials.create(
        new FailedHandshakes(InternalProtocolNegotiators.serverTls(tls), told));
  }

  @Override
  public AsciiString scheme() {
    return tls.scheme();
  }

  @Override
  public ChannelHandler newHandler(GrpcHttp2ConnectionHandler connection) {
    ChannelHandler negotiation = tls.newHandler(connection);
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void handlerAdded(ChannelHandlerContext context) {
        context.pipeline().addAfter(context.name(), null, negotiation);
      }

      // The first bytes: by now there is whoever is to read them.
      @Override
      public void channelRead(ChannelHandlerContext context, Object bytes) {
        SocketAddress from = context.channel().remoteAddress();
        context
            .pipeline()
            .get(SslHandler.class)
            .handshakeFuture()
            .addListener(
                handshake -> {
                  if (!handshake.isSuccess()) {
                    failed(from, handshake.cause());
                  }
                });
        context.fireChannelRead(bytes);
        context.pipeline().remove(this);
      }
    };
  }

  private void failed(SocketAddress from, Throwable why) {
    switch (why) {
      case ClosedChannelException _ -> {}
      // Its message has what was sent, and that may be a token.
      case NotSslRecordException _ -> told.accept(from, "it doesn't speak TLS");
      default -> told.accept(from, "the TLS handshake failed: " + why.getMessage());
    }
  }

  @Override
  public void close() {
    tls.close();
  }
}
