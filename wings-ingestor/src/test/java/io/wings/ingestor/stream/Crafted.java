package io.wings.ingestor.stream;

import com.google.flatbuffers.FlatBufferBuilder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** A batch written by hand, right or wrong. */
final class Crafted {
  private record Node(long length, long nulls) {}

  private record Span(long offset, long length) {}

  private final long rows;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Span> spans = new ArrayList<>();
  private final List<Long> variadic = new ArrayList<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private @Nullable Byte codec;

  private Crafted(long rows) {
    this.rows = rows;
  }

  static Crafted rows(long rows) {
    return new Crafted(rows);
  }

  /** A column, or a level of one. */
  Crafted node(long length, long nulls) {
    nodes.add(new Node(length, nulls));
    return this;
  }

  Crafted buffer(byte... bytes) {
    spans.add(new Span(body.size(), bytes.length));
    body.writeBytes(bytes);
    body.writeBytes(new byte[Frames.aligned(bytes.length) - bytes.length]);
    return this;
  }

  /** Bytes of the body that no buffer was said to be. */
  Crafted bytes(int count) {
    body.writeBytes(new byte[count]);
    return this;
  }

  /** A buffer wherever it says. */
  Crafted span(long offset, long length) {
    spans.add(new Span(offset, length));
    return this;
  }

  Crafted ints(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(values);
    return buffer(bytes.array());
  }

  Crafted longs(long... values) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asLongBuffer().put(values);
    return buffer(bytes.array());
  }

  Crafted text(String text) {
    return buffer(text.getBytes(StandardCharsets.UTF_8));
  }

  /** No buffer, as all-valid columns have. */
  Crafted none() {
    return buffer();
  }

  Crafted variadic(long count) {
    variadic.add(count);
    return this;
  }

  Crafted compressed(byte with) {
    codec = with;
    return this;
  }

  Frames batch() {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    int batch = recordBatch(builder);
    return message(builder, MessageHeader.RecordBatch, batch);
  }

  Frames dictionary(long id, boolean delta) {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    int batch = recordBatch(builder);
    int dictionary = DictionaryBatch.createDictionaryBatch(builder, id, batch, delta);
    return message(builder, MessageHeader.DictionaryBatch, dictionary);
  }

  private int recordBatch(FlatBufferBuilder builder) {
    RecordBatch.startNodesVector(builder, nodes.size());
    for (Node node : nodes.reversed()) {
      FieldNode.createFieldNode(builder, node.length, node.nulls);
    }
    int nodesAt = builder.endVector();
    RecordBatch.startBuffersVector(builder, spans.size());
    for (Span span : spans.reversed()) {
      Buffer.createBuffer(builder, span.offset, span.length);
    }
    int buffersAt = builder.endVector();
    int variadicAt =
        RecordBatch.createVariadicBufferCountsVector(
            builder, variadic.stream().mapToLong(v -> v).toArray());
    int compressionAt =
        codec == null
            ? 0
            : BodyCompression.createBodyCompression(builder, codec, BodyCompressionMethod.BUFFER);
    RecordBatch.startRecordBatch(builder);
    RecordBatch.addLength(builder, rows);
    RecordBatch.addNodes(builder, nodesAt);
    RecordBatch.addBuffers(builder, buffersAt);
    if (codec != null) {
      RecordBatch.addCompression(builder, compressionAt);
    }
    if (!variadic.isEmpty()) {
      RecordBatch.addVariadicBufferCounts(builder, variadicAt);
    }
    return RecordBatch.endRecordBatch(builder);
  }

  private Frames message(FlatBufferBuilder builder, byte type, int header) {
    Message.startMessage(builder);
    Message.addVersion(builder, MetadataVersion.V5);
    Message.addHeaderType(builder, type);
    Message.addHeader(builder, header);
    Message.addBodyLength(builder, body.size());
    builder.finish(Message.endMessage(builder));
    return new Frames(
        ByteBuffer.wrap(builder.sizedByteArray()), ByteBuffer.wrap(body.toByteArray()));
  }

  static Frames schema(Field... fields) {
    ByteBuffer header =
        MessageSerializer.serializeMetadata(new Schema(List.of(fields)), IpcOption.DEFAULT);
    return new Frames(header, ByteBuffer.allocate(0));
  }

  static Field field(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  static Field required(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.notNullable(type), List.of(children));
  }
}
