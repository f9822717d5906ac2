package io.wings.common.queue;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.wings.common.cluster.Keys;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.tls.Transport;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Knows the active broker, as of the last look at {@code queue.json}. Safe for several threads. */
final class BrokerFinder implements AutoCloseable {
  private final ObjectStore store;
  private final Transport transport;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Found current;
  private boolean doubtful;
  private boolean closed;

  /** A broker and a channel to it. */
  record Found(String address, long epoch, ManagedChannel channel) {}

  BrokerFinder(ObjectStore store, Transport transport) {
    this.store = store;
    this.transport = transport;
  }

  /**
   * The broker, looked up if it isn't known or is in doubt; callers at the same time share one
   * look-up. Null when there is no queue yet, or its broker has stepped down.
   *
   * @throws io.wings.common.objectstore.StoreException when the object can't be read
   */
  @Nullable Found find() {
    lock.lock();
    try {
      if (closed) {
        throw WingsException.unavailable("stopped", "the queue client has been closed", null);
      }
      Found known = current;
      if (known != null && !doubtful) {
        return known;
      }
      Optional<StoredObject> start = store.getRange(Keys.QUEUE, 0, QueueCodec.HEADER_BYTES);
      if (start.isEmpty()) {
        return null;
      }
      QueueFile.Broker broker = QueueCodec.decodeBroker(start.get().bytes());
      if (broker.address().isEmpty()) {
        return null;
      }
      if (known != null) {
        // Never kept: the address may lead elsewhere by now, and an old connection to where it led.
        // Calls of other threads on it may still end.
        known.channel.shutdown();
      }
      Found found = new Found(broker.address(), broker.epoch(), channel(broker.address()));
      current = found;
      doubtful = false;
      return found;
    } finally {
      lock.unlock();
    }
  }

  private ManagedChannel channel(String address) {
    HostPort hostPort = HostPort.parse(address);
    return transport
        .client(NettyChannelBuilder.forAddress(hostPort.host(), hostPort.port()))
        .disableRetry()
        .maxInboundMessageSize(QueueRpc.MAX_MESSAGE_BYTES)
        .build();
  }

  /** A call to {@code broker} failed: it may not be the active one any more. */
  void doubt(Found broker) {
    lock.lock();
    try {
      if (broker.equals(current)) {
        doubtful = true;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      if (current != null) {
        current.channel.shutdownNow();
        current = null;
      }
    } finally {
      lock.unlock();
    }
  }
}
