package io.wings.ingestor.stream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.jspecify.annotations.Nullable;

/**
 * One Arrow message as Flight carries it.
 *
 * @param header the flatbuffer
 */
public record Frames(ByteBuffer header, ByteBuffer body) {
  private static final int CONTINUATION = -1;
  private static final int ALIGNMENT = 8;

  /**
   * Cuts an IPC stream into messages; what can't be cut into whole ones comes as one last frame,
   * all of it header.
   */
  public static List<Frames> cut(byte[] stream) {
    List<Frames> frames = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN);
    while (in.remaining() >= 4) {
      int start = in.position();
      Frames next = next(in);
      if (next == null) {
        in.position(start);
        break;
      }
      if (next.header().remaining() == 0) {
        return frames;
      }
      frames.add(next);
    }
    if (in.hasRemaining()) {
      frames.add(new Frames(in.slice(), ByteBuffer.allocate(0)));
    }
    return frames;
  }

  private static @Nullable Frames next(ByteBuffer in) {
    int length = in.getInt();
    if (length == CONTINUATION) {
      if (in.remaining() < 4) {
        return null;
      }
      length = in.getInt();
    }
    if (length == 0) {
      return new Frames(ByteBuffer.allocate(0), ByteBuffer.allocate(0));
    }
    if (length < 0 || length > in.remaining()) {
      return null;
    }
    ByteBuffer header = in.slice(in.position(), length).order(ByteOrder.LITTLE_ENDIAN);
    in.position(in.position() + length);
    long bodyLength;
    try {
      bodyLength =
          Message.getRootAsMessage(header.duplicate().order(ByteOrder.LITTLE_ENDIAN)).bodyLength();
    } catch (RuntimeException e) {
      return null;
    }
    if (bodyLength < 0 || bodyLength > in.remaining()) {
      return null;
    }
    ByteBuffer body = in.slice(in.position(), (int) bodyLength);
    in.position(in.position() + (int) bodyLength);
    return new Frames(header, body);
  }

  /** What Arrow's own writer makes of the root: a schema, dictionaries, one batch. */
  public static List<Frames> of(VectorSchemaRoot root, DictionaryProvider dictionaries) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ArrowStreamWriter writer =
        new ArrowStreamWriter(root, dictionaries, Channels.newChannel(out))) {
      writer.start();
      writer.writeBatch();
      writer.end();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return cut(out.toByteArray());
  }

  static int aligned(int length) {
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
}
