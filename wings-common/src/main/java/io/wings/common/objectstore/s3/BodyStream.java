package io.wings.common.objectstore.s3;

import io.wings.common.objectstore.Body;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Iterator;

/** A body's buffers as one stream, without a copy. */
final class BodyStream extends InputStream {
  private final Iterator<ByteBuffer> parts;
  private ByteBuffer current = ByteBuffer.allocate(0);

  BodyStream(Body body) {
    this.parts = body.parts().iterator();
  }

  /** Whether {@link #current} has a byte left, after going on to the next part if need be. */
  private boolean more() {
    while (!current.hasRemaining() && parts.hasNext()) {
      current = parts.next();
    }
    return current.hasRemaining();
  }

  @Override
  public int read() {
    return more() ? current.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    if (!more()) {
      return -1;
    }
    int count = Math.min(length, current.remaining());
    current.get(target, offset, count);
    return count;
  }

  @Override
  public int available() {
    return current.remaining();
  }
}
