package io.wings.ingestor.stream;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * Parses message headers. Flatbuffers in Java have no verifier, but every access is bounds-checked;
 * what they don't bound (vector lengths, cycles, shared strings) is bounded here.
 */
final class MessageReader {
  private static final int STRUCT_BYTES = 16;

  private final StreamLimits limits;

  MessageReader(StreamLimits limits) {
    this.limits = limits;
  }

  /**
   * @param header the flatbuffer of one message, without the length before it
   */
  Message read(ByteBuffer header) {
    if (header.remaining() > limits.headerBytes()) {
      throw WingsException.invalid(
          "message-too-large",
          "an Arrow message header has %d bytes, at most %d are taken"
              .formatted(header.remaining(), limits.headerBytes()));
    }
    try {
      return parse(header.slice().order(ByteOrder.LITTLE_ENDIAN));
    } catch (WingsException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new WingsException(
          ErrorKind.INVALID,
          "message-malformed",
          "an Arrow message header can't be parsed; the sender's data is broken, don't send it again",
          e);
    }
  }

  private Message parse(ByteBuffer header) {
    var message = org.apache.arrow.flatbuf.Message.getRootAsMessage(header);
    if (message.version() < MetadataVersion.V4 || message.version() > MetadataVersion.V5) {
      throw malformed("Arrow metadata version 4 or 5", "version ordinal " + message.version());
    }
    return switch (message.headerType()) {
      case MessageHeader.Schema -> {
        var schema = new org.apache.arrow.flatbuf.Schema();
        require(message.header(schema), "a schema");
        yield new SchemaReader(limits, header.remaining()).read(schema);
      }
      case MessageHeader.DictionaryBatch -> {
        var dictionary = new DictionaryBatch();
        require(message.header(dictionary), "a dictionary batch");
        RecordBatch data = require(dictionary.data(), "the data of a dictionary batch");
        yield new Message.DictionaryMessage(
            dictionary.id(), dictionary.isDelta(), batch(data, header.remaining()));
      }
      case MessageHeader.RecordBatch -> {
        var data = new RecordBatch();
        require(message.header(data), "a record batch");
        yield new Message.BatchMessage(batch(data, header.remaining()));
      }
      default ->
          throw malformed(
              "a schema, dictionary batch or record batch", "message type " + message.headerType());
    };
  }

  private Message.Batch batch(RecordBatch data, int headerBytes) {
    if (data.length() < 0) {
      throw malformed("a row count", Long.toString(data.length()));
    }
    if (data.length() > limits.rows()) {
      throw WingsException.invalid(
          "batch-too-large",
          "a batch has %d rows, at most %d are taken; send smaller batches"
              .formatted(data.length(), limits.rows()));
    }
    List<Message.Node> nodes =
        list(
            data.nodesLength(),
            headerBytes / STRUCT_BYTES,
            "nodes",
            i -> new Message.Node(data.nodes(i).length(), data.nodes(i).nullCount()));
    List<Message.Span> buffers =
        list(
            data.buffersLength(),
            headerBytes / STRUCT_BYTES,
            "buffers",
            i -> new Message.Span(data.buffers(i).offset(), data.buffers(i).length()));
    List<Long> variadic =
        list(
            data.variadicBufferCountsLength(),
            headerBytes / Long.BYTES,
            "variadic buffer counts",
            data::variadicBufferCounts);
    return new Message.Batch(
        (int) data.length(), nodes, buffers, variadic, compression(data.compression()));
  }

  private static <T> List<T> list(int length, int most, String what, IntFunction<T> element) {
    if (length < 0 || length > most) {
      throw malformed("at most " + most + " " + what, Integer.toString(length));
    }
    List<T> all = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      all.add(element.apply(i));
    }
    return all;
  }

  private static Message.Compression compression(@Nullable BodyCompression body) {
    if (body == null) {
      return Message.Compression.NONE;
    }
    if (body.method() != BodyCompressionMethod.BUFFER) {
      throw malformed("compression by buffer", "method " + body.method());
    }
    return switch (body.codec()) {
      case CompressionType.LZ4_FRAME -> Message.Compression.LZ4_FRAME;
      case CompressionType.ZSTD -> Message.Compression.ZSTD;
      default -> throw malformed("compression lz4 or zstd", "codec " + body.codec());
    };
  }

  private static <T> T require(@Nullable T part, String what) {
    if (part == null) {
      throw malformed(what, "none");
    }
    return part;
  }

  static WingsException malformed(String expected, String got) {
    return WingsException.invalid(
        "message-malformed",
        "an Arrow message header is broken: expected %s, got %s; don't send it again"
            .formatted(expected, got));
  }
}
