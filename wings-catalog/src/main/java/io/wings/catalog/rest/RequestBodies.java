package io.wings.catalog.rest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads request bodies within a cap for each and one for all that are held at once. */
final class RequestBodies {
  /** Of requests whose callers are known. */
  static final int MAX_BYTES = 16 * 1024 * 1024;

  /** Of what anybody may send: names and a token. */
  static final int MAX_FORM_BYTES = 64 * 1024;

  /** In which memory is counted. */
  static final int CHUNK_BYTES = 64 * 1024;

  private static final int MAX_TOTAL_CHUNKS = 1024;
  private static final int MAX_TOTAL_FORM_CHUNKS = 128;

  private final int maxBytes;
  private final Shares shares;

  private RequestBodies(int maxBytes, int totalChunks) {
    this.maxBytes = maxBytes;
    this.shares = new Shares(totalChunks, totalChunks / 2);
  }

  /** Of requests whose callers are known. */
  static RequestBodies ofCallers() {
    return new RequestBodies(MAX_BYTES, MAX_TOTAL_CHUNKS);
  }

  /** Of requests by which callers become known: apart from the others, so that they leave room. */
  static RequestBodies ofForms() {
    return new RequestBodies(MAX_FORM_BYTES, MAX_TOTAL_FORM_CHUNKS);
  }

  /** How many chunks so many bytes take; at least one. */
  static int chunks(long bytes) {
    return (int) Math.max(1, (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES);
  }

  /** A body; its memory counts until it is closed. */
  final class Held implements AutoCloseable {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final String payer;
    private int held;

    private Held(String payer) {
      this.payer = payer;
    }

    byte[] bytes() {
      return bytes.toByteArray();
    }

    @Override
    public void close() {
      if (held > 0) {
        shares.give(payer, held);
      }
      held = 0;
    }
  }

  /** More than one request may have. */
  static final class TooLarge extends Exception {
    private static final long serialVersionUID = 1L;

    TooLarge(int maxBytes) {
      super("a body has at most " + maxBytes + " bytes");
    }
  }

  /** More than all together, or all of one payer, may have now. */
  static final class Overloaded extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Reads a body whole. A chunk counts before it is waited for.
   *
   * @param payer whose share it is taken from
   */
  Held read(String payer, InputStream in) throws IOException, TooLarge, Overloaded {
    Held body = new Held(payer);
    boolean done = false;
    try {
      while (true) {
        if (!shares.tryTake(payer, 1)) {
          throw new Overloaded();
        }
        body.held++;
        byte[] chunk = in.readNBytes(CHUNK_BYTES);
        if (body.bytes.size() + chunk.length > maxBytes) {
          throw new TooLarge(maxBytes);
        }
        body.bytes.write(chunk);
        if (chunk.length < CHUNK_BYTES) {
          done = true;
          return body;
        }
      }
    } finally {
      if (!done) {
        body.close();
      }
    }
  }
}
