package io.wings.simulation.grpc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one call in one direction. The sender isn't ready while more than a window of
 * bytes waits to be taken; the receiver takes as many messages as it asks for.
 */
final class Way {
  /** What gRPC's own is to real messages, this is to those of a simulation. */
  static final int WINDOW_BYTES = 3 << 10;

  private final Wire wire;
  private final boolean fromClient;
  private final @Nullable Serial transport;
  private final Serial receiver;
  private final Serial sender;
  private final Consumer<byte[]> onTransport;
  private final Consumer<byte[]> onMessage;
  private final Runnable onEnd;
  private final Runnable onReady;
  private final Deque<byte[]> arrived = new ArrayDeque<>();
  private long waitingBytes;
  private long lastArrival;
  private int requested;
  private int counting;
  private boolean endArrived;
  private boolean endGiven;
  private boolean closed;

  /**
   * @param transport where messages are counted before they are given; null for nowhere
   * @param onTransport there, when a message that was asked for has arrived
   * @param onMessage on the receiver's thread
   * @param onEnd on the receiver's thread, when everything before has been taken
   * @param onReady on the sender's thread
   */
  Way(
      Wire wire,
      boolean fromClient,
      @Nullable Serial transport,
      Serial receiver,
      Serial sender,
      Consumer<byte[]> onTransport,
      Consumer<byte[]> onMessage,
      Runnable onEnd,
      Runnable onReady) {
    this.wire = wire;
    this.fromClient = fromClient;
    this.transport = transport;
    this.receiver = receiver;
    this.sender = sender;
    this.onTransport = onTransport;
    this.onMessage = onMessage;
    this.onEnd = onEnd;
    this.onReady = onReady;
  }

  boolean isReady() {
    return !closed && waitingBytes < WINDOW_BYTES;
  }

  /** Sends something that is no message: it arrives in order. */
  void send(Runnable arrival) {
    if (!closed) {
      lastArrival = wire.deliver(fromClient, lastArrival, arrival);
    }
  }

  void message(byte[] bytes) {
    waitingBytes += bytes.length;
    send(
        () -> {
          arrived.add(bytes);
          give();
        });
  }

  void end() {
    send(
        () -> {
          endArrived = true;
          give();
        });
  }

  void request(int messages) {
    requested = (int) Math.min(Integer.MAX_VALUE, (long) requested + messages);
    give();
  }

  /** Nothing more is given to anybody. */
  void close() {
    closed = true;
    arrived.clear();
  }

  private void give() {
    while (!closed && requested > 0 && !arrived.isEmpty()) {
      requested--;
      byte[] message = arrived.remove();
      if (transport == null) {
        receiver.execute(() -> taken(message));
      } else {
        counting++;
        transport.execute(() -> counted(message));
      }
    }
    if (!closed && endArrived && !endGiven && arrived.isEmpty() && counting == 0) {
      endGiven = true;
      receiver.execute(onEnd);
    }
  }

  private void counted(byte[] message) {
    onTransport.accept(message);
    receiver.execute(() -> taken(message));
    counting--;
    give();
  }

  private void taken(byte[] message) {
    boolean wasReady = isReady();
    waitingBytes -= message.length;
    if (!wasReady && isReady()) {
      wire.after(() -> sender.execute(onReady));
    }
    onMessage.accept(message);
  }
}
