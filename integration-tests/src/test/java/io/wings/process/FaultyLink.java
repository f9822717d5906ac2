package io.wings.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy on the loopback between a role and its store, which fails as networks do. What it
 * holds back it delivers once it is well, as TCP does: a put may land long after its sender gave
 * up.
 */
final class FaultyLink implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;
  private static final long DELAY_MILLIS = 300;
  private static final long LOOK_MILLIS = 20;

  /** What becomes of bytes. */
  enum State {
    WELL,
    /** Each piece arrives late. */
    DELAYS,
    /** Connections are reset as soon as they are used. */
    RESETS,
    /** Connections stand and nothing arrives, in either direction. */
    HALF_OPEN,
    /** Requests arrive, and replies don't. */
    REPLIES_CUT
  }

  private final ServerSocket listener;
  private final InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile State state = State.WELL;

  private FaultyLink(ServerSocket listener, InetSocketAddress target) {
    this.listener = listener;
    this.target = target;
  }

  static FaultyLink to(URI endpoint) throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    FaultyLink link =
        new FaultyLink(
            new ServerSocket(0, 0, loopback),
            new InetSocketAddress(endpoint.getHost(), endpoint.getPort()));
    Thread _ = Thread.ofVirtual().name("link").start(link::accept);
    return link;
  }

  URI endpoint() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  void become(State next) {
    state = next;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket near = listener.accept();
        Socket far = new Socket();
        sockets.add(near);
        sockets.add(far);
        far.connect(target);
        Thread _ = Thread.ofVirtual().start(() -> pump(near, far, false));
        Thread _ = Thread.ofVirtual().start(() -> pump(far, near, true));
      } catch (IOException e) {
        // closed, or the store is gone: the role sees a connection that ends
      }
    }
  }

  private void pump(Socket from, Socket to, boolean replies) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int read = in.read(buffer);
      while (read >= 0) {
        if (!passes(replies)) {
          from.setSoLinger(true, 0);
          to.setSoLinger(true, 0);
          return;
        }
        out.write(buffer, 0, read);
        out.flush();
        read = in.read(buffer);
      }
    } catch (IOException e) {
      // one side went away; the other is closed with it
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  /** Holds the caller for as long as its bytes are to be held; false when they are to be lost. */
  private boolean passes(boolean replies) throws InterruptedException {
    if (state == State.DELAYS) {
      Thread.sleep(DELAY_MILLIS);
    }
    while (state == State.HALF_OPEN || (replies && state == State.REPLIES_CUT)) {
      Thread.sleep(LOOK_MILLIS);
    }
    return state != State.RESETS;
  }

  @Override
  public void close() throws IOException {
    become(State.WELL);
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
