package io.wings.catalog.rest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;

/** Reads request bodies within a cap for each and one for all that are held at once. */
final class RequestBodies {
  static final int MAX_BYTES = 16 * 1024 * 1024;
  private static final int MAX_TOTAL_CHUNKS = 1024;
  private static final int CHUNK_BYTES = 64 * 1024;

  private final Semaphore chunks = new Semaphore(MAX_TOTAL_CHUNKS);

  /** A body; its memory counts until it is closed. */
  final class Held implements AutoCloseable {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int held;

    byte[] bytes() {
      return bytes.toByteArray();
    }

    @Override
    public void close() {
      chunks.release(held);
      held = 0;
    }
  }

  /** More than one request may have. */
  static final class TooLarge extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /** More than all together may have now. */
  static final class Overloaded extends Exception {
    private static final long serialVersionUID = 1L;
  }

  Held read(InputStream in) throws IOException, TooLarge, Overloaded {
    Held body = new Held();
    boolean done = false;
    try {
      while (true) {
        byte[] chunk = in.readNBytes(CHUNK_BYTES);
        if (chunk.length == 0) {
          done = true;
          return body;
        }
        if (body.bytes.size() + chunk.length > MAX_BYTES) {
          throw new TooLarge();
        }
        if (!chunks.tryAcquire()) {
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
