package io.wings.common.wal;

import com.google.flatbuffers.FlatBufferBuilder;
import io.wings.common.error.WingsException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Turns validated vectors into what a segment stores. Stateless and safe to share between threads.
 */
public final class BatchEncoder {
  /** Arrow field metadata that carries the Iceberg field id, as Parquet readers know it. */
  public static final String FIELD_ID = "PARQUET:field_id";

  static final int COMPRESSION_LEVEL = 1;

  /** Shorter buffers are stored as they are: packing one costs more time than it saves bytes. */
  static final int MIN_COMPRESSED_BYTES = 256;

  /** In front of each buffer: its raw length, or -1 when it is stored as it is. */
  private static final int PREFIX_BYTES = 8;

  /**
   * The encapsulated schema message. Metadata other than field ids is left out.
   *
   * @throws WingsException {@code wal-schema-invalid} when a field (nested ones included) has no
   *     field id or one that another has, is dictionary-encoded, or is of a type that segments
   *     don't hold
   */
  public EncodedSchema encode(Schema schema) {
    Schema canonical = SegmentSchema.canonical(schema);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (WriteChannel channel = new WriteChannel(Channels.newChannel(bytes))) {
      MessageSerializer.serialize(channel, canonical);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new EncodedSchema(canonical, bytes.toByteArray());
  }

  /**
   * Compresses the vectors of {@code root}, which stays the caller's and keeps its values.
   *
   * @param schema of {@code root}, encoded once per stream
   * @throws WingsException {@code batch-too-large} above the format's limit
   */
  public EncodedBatch encode(EncodedSchema schema, VectorSchemaRoot root) {
    requireSameFields(schema.schema().getFields(), root.getSchema().getFields());
    VectorUnloader unloader = new VectorUnloader(root, true, NoCompressionCodec.INSTANCE, true);
    try (ArrowRecordBatch batch = unloader.getRecordBatch()) {
      long rawBytes = 0;
      for (ArrowBuf buffer : batch.getBuffers()) {
        rawBytes += buffer.readableBytes();
      }
      if (rawBytes > WalFormat.MAX_BATCH_RAW_BYTES) {
        throw WingsException.invalid(
            "batch-too-large",
            "a batch has at most %d bytes, got %d; send smaller batches"
                .formatted(WalFormat.MAX_BATCH_RAW_BYTES, rawBytes));
      }
      byte[] message = message(batch, compressed(batch.getBuffers()));
      int crc = WalFormat.crc32c(message, 0, message.length);
      return new EncodedBatch(schema, message, crc, batch.getLength(), rawBytes);
    }
  }

  private static void requireSameFields(List<Field> expected, List<Field> actual) {
    if (expected.size() != actual.size()) {
      throw new IllegalArgumentException("the vectors are not of the encoded schema");
    }
    for (int i = 0; i < expected.size(); i++) {
      Field want = expected.get(i);
      Field got = actual.get(i);
      if (!Objects.equals(want.getName(), got.getName())
          || want.isNullable() != got.isNullable()
          || !want.getType().equals(got.getType())
          || !sameId(want, got)) {
        throw new IllegalArgumentException("the vectors are not of the encoded schema: " + got);
      }
      requireSameFields(want.getChildren(), got.getChildren());
    }
  }

  /** The group of a map's entries has none to compare. */
  private static boolean sameId(Field want, Field got) {
    String id = want.getMetadata().get(FIELD_ID);
    return id == null || id.equals(got.getMetadata().get(FIELD_ID));
  }

  /** Each buffer as IPC has it: empty, or the raw length (-1: not compressed) and the bytes. */
  private static List<byte[]> compressed(List<ArrowBuf> buffers) {
    CompressionCodec codec =
        CommonsCompressionFactory.INSTANCE.createCodec(
            CompressionUtil.CodecType.ZSTD, COMPRESSION_LEVEL);
    List<byte[]> parts = new ArrayList<>(buffers.size());
    for (ArrowBuf buffer : buffers) {
      int length = Math.toIntExact(buffer.readableBytes());
      if (length == 0) {
        parts.add(new byte[0]);
        continue;
      }
      if (length < MIN_COMPRESSED_BYTES) {
        parts.add(stored(buffer, length));
        continue;
      }
      // The codec closes what it compresses, and compresses from the start to the writer's index.
      ArrowBuf input = buffer.slice(buffer.readerIndex(), length);
      input.writerIndex(length);
      input.getReferenceManager().retain();
      // Not that of a vector: one of type null has none.
      BufferAllocator allocator = buffer.getReferenceManager().getAllocator();
      try (ArrowBuf output = codec.compress(allocator, input)) {
        byte[] part = new byte[Math.toIntExact(output.writerIndex())];
        output.getBytes(0, part);
        parts.add(part);
      }
    }
    return parts;
  }

  private static byte[] stored(ArrowBuf buffer, int length) {
    byte[] part = new byte[PREFIX_BYTES + length];
    Arrays.fill(part, 0, PREFIX_BYTES, (byte) 0xff);
    buffer.getBytes(buffer.readerIndex(), part, PREFIX_BYTES, length);
    return part;
  }

  /** The encapsulated message: continuation, metadata length, metadata, body. */
  private static byte[] message(ArrowRecordBatch batch, List<byte[]> parts) {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    RecordBatch.startBuffersVector(builder, parts.size());
    long body = 0;
    for (byte[] part : parts) {
      body += aligned(part.length);
    }
    long offset = body;
    for (byte[] part : parts.reversed()) {
      offset -= aligned(part.length);
      Buffer.createBuffer(builder, offset, part.length);
    }
    int buffers = builder.endVector();
    List<ArrowFieldNode> fieldNodes = batch.getNodes();
    RecordBatch.startNodesVector(builder, fieldNodes.size());
    for (ArrowFieldNode node : fieldNodes.reversed()) {
      FieldNode.createFieldNode(builder, node.getLength(), node.getNullCount());
    }
    int nodes = builder.endVector();
    int compression =
        BodyCompression.createBodyCompression(
            builder, CompressionType.ZSTD, BodyCompressionMethod.BUFFER);
    RecordBatch.startRecordBatch(builder);
    RecordBatch.addCompression(builder, compression);
    RecordBatch.addBuffers(builder, buffers);
    RecordBatch.addNodes(builder, nodes);
    RecordBatch.addLength(builder, batch.getLength());
    int header = RecordBatch.endRecordBatch(builder);
    ByteBuffer metadata =
        MessageSerializer.serializeMessage(
            builder, MessageHeader.RecordBatch, header, body, IpcOption.DEFAULT);
    int metadataLength = aligned(metadata.remaining());
    ByteBuffer message =
        ByteBuffer.allocate(Math.toIntExact(8 + metadataLength + body))
            .order(ByteOrder.LITTLE_ENDIAN);
    message.putInt(MessageSerializer.IPC_CONTINUATION_TOKEN).putInt(metadataLength).put(metadata);
    message.position(8 + metadataLength);
    for (byte[] part : parts) {
      message.put(part);
      message.position(aligned(message.position()));
    }
    return message.array();
  }

  private static int aligned(int length) {
    return (length + WalFormat.ALIGNMENT - 1) / WalFormat.ALIGNMENT * WalFormat.ALIGNMENT;
  }
}
