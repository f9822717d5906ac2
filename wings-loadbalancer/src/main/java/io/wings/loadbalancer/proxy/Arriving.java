package io.wings.loadbalancer.proxy;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Counts a call's bytes as they arrive, before there is a message: one that is too large is refused
 * while it arrives, and a client that begins many large messages and finishes none costs its own
 * share only. A client that sends on after it has been told is cut off.
 *
 * <p>gRPC's own limit would cut every large message off without a word (the client sees CANCELLED),
 * so it is not used.
 */
final class Arriving extends ServerStreamTracer {
  private static final Context.Key<Arriving> CURRENT = Context.key("wings-arriving");

  /** What may be on its way before a client has read the refusal. */
  static final long GRACE_BYTES = 16 << 20;

  /** What is done about a call that sends too much; runs on a transport thread. */
  interface Refusal {
    /** The message that arrives is larger than allowed; called once per message. */
    void tooLarge();

    /** All calls together hold too many bytes, this one's principal more than its share. */
    void overflow();
  }

  private record Counting(HeldBytes.Share share, long messageLimit, Refusal refusal) {}

  private volatile @Nullable Counting counting;

  // Only the transport's thread of the call uses these.
  private long message;
  private long beyond;

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

  /** Counts from now on; a call that reads must have called it before. */
  void countIn(HeldBytes.Share share, long messageLimit, Refusal refusal) {
    counting = new Counting(share, messageLimit, refusal);
  }

  @Override
  public Context filterContext(Context context) {
    return context.withValue(CURRENT, this);
  }

  /**
   * {@inheritDoc}
   *
   * <p>gRPC resets a stream whose tracer throws here; it has no other way to do so.
   */
  @Override
  public void inboundWireSize(long bytes) {
    Counting in = counting;
    if (in == null) {
      return;
    }
    boolean wasTooLarge = message > in.messageLimit;
    message += bytes;
    if (message > in.messageLimit && !wasTooLarge) {
      in.refusal.tooLarge();
    }
    if (in.share.add(bytes)) {
      return;
    }
    if (beyond == 0) {
      in.refusal.overflow();
    }
    beyond += bytes;
    if (beyond > GRACE_BYTES) {
      throw Status.RESOURCE_EXHAUSTED
          .withDescription("sends on after it was refused")
          .asRuntimeException();
    }
  }

  @Override
  public void inboundMessageRead(int number, long wireSize, long uncompressedSize) {
    message = 0;
  }
}
