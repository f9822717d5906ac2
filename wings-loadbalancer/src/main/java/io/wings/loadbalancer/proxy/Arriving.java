package io.wings.loadbalancer.proxy;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import org.jspecify.annotations.Nullable;

/**
 * Counts a call's bytes as they arrive, before there is a message: a client that begins many large
 * messages and finishes none costs its own share only.
 */
final class Arriving extends ServerStreamTracer {
  private static final Context.Key<Arriving> CURRENT = Context.key("wings-arriving");

  private volatile HeldBytes.@Nullable Share share;
  private volatile @Nullable Runnable onOverflow;

  static final ServerStreamTracer.Factory FACTORY =
      new ServerStreamTracer.Factory() {
        @Override
        public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
          return new Arriving();
        }
      };

  /** That of the call which this thread serves. */
  static Arriving current() {
    return CURRENT.get();
  }

  /**
   * Counts from now on; nothing is read before.
   *
   * @param onOverflow runs on a transport thread each time that the stream has to end
   */
  void countIn(HeldBytes.Share share, Runnable onOverflow) {
    this.onOverflow = onOverflow;
    this.share = share;
  }

  @Override
  public Context filterContext(Context context) {
    return context.withValue(CURRENT, this);
  }

  @Override
  public void inboundWireSize(long bytes) {
    HeldBytes.Share counting = share;
    Runnable overflow = onOverflow;
    if (counting != null && !counting.add(bytes) && overflow != null) {
      overflow.run();
    }
  }
}
