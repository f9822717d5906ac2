package io.wings.catalog.rest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;

/** Reads request bodies within a cap for each and one for all that are held at once. */
final class RequestBodies {
  static final int MAX_BYTES = 16 * 1024 * 1024;
  private static final int MAX_TOTAL_CHUNKS = 1024;

  private final ByteShares shares = new ByteShares(MAX_TOTAL_CHUNKS);

  /** A body; its memory counts until it is closed. */
  final class Held implements AutoCloseable {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final InetAddress peer;
    private int held;

    private Held(InetAddress peer) {
      this.peer = peer;
    }

    byte[] bytes() {
      return bytes.toByteArray();
    }

    @Override
    public void close() {
      if (held > 0) {
        shares.give(peer, held);
      }
      held = 0;
    }
  }

  /** More than one request may have. */
  static final class TooLarge extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /** More than all together, or all of one peer, may have now. */
  static final class Overloaded extends Exception {
    private static final long serialVersionUID = 1L;
  }

  Held read(InetAddress peer, InputStream in) throws IOException, TooLarge, Overloaded {
    Held body = new Held(peer);
    boolean done = false;
    try {
      while (true) {
        byte[] chunk = in.readNBytes(ByteShares.CHUNK_BYTES);
        if (chunk.length == 0) {
          done = true;
          return body;
        }
        if (body.bytes.size() + chunk.length > MAX_BYTES) {
          throw new TooLarge();
        }
        if (!shares.tryTake(peer, 1)) {
          throw new Overloaded();
        }
        body.held++;
        body.bytes.write(chunk);
      }
    } finally {
      if (!done) {
        body.close();
      }
    }
  }
}
