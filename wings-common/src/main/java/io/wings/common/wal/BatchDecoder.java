package io.wings.common.wal;

import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/** Reads one batch, distrusting every offset and length in it. */
final class BatchDecoder {
  /** In front of each compressed buffer: its raw length, or -1 when it is stored as it is. */
  private static final int PREFIX_BYTES = 8;

  private final String where;
  private final BatchEntry entry;
  private final BufferAllocator allocator;

  BatchDecoder(String where, BatchEntry entry, BufferAllocator allocator) {
    this.where = where;
    this.entry = entry;
    this.allocator = allocator;
  }

  /** A compressed buffer: where it is, and how long it will be. */
  private record Compressed(int offset, int length, long rawLength) {}

  /**
   * Decodes the entry's block into {@code root}, whose previous vectors are gone.
   *
   * @throws OutOfMemoryException when the allocator's limit is too small for the batch
   */
  void decode(byte[] bytes, int offset, VectorSchemaRoot root) {
    boolean loaded = false;
    try {
      ByteBuffer metadata = SchemaDecoder.message(where, bytes, offset, entry.block().length());
      int body = offset + 8 + metadata.remaining();
      load(metadata, bytes, body, offset + entry.block().length() - body, root);
      loaded = true;
    } catch (WingsException | OutOfMemoryException e) {
      throw e;
    } catch (RuntimeException e) {
      // Flatbuffers and Arrow answer bad offsets with whatever their first use of one throws.
      throw corrupt("is malformed: " + e, e);
    } finally {
      if (!loaded) {
        root.clear();
      }
    }
  }

  private void load(
      ByteBuffer metadata, byte[] bytes, int body, int bodyLength, VectorSchemaRoot root) {
    Message message = Message.getRootAsMessage(metadata);
    RecordBatch batch = new RecordBatch();
    if (message.headerType() != MessageHeader.RecordBatch
        || message.version() != MetadataVersion.V5
        || message.bodyLength() != bodyLength
        || message.header(batch) == null) {
      throw corrupt("is no record batch of its block's length", null);
    }
    BodyCompression compression = batch.compression();
    if (compression == null
        || compression.codec() != CompressionType.ZSTD
        || compression.method() != BodyCompressionMethod.BUFFER) {
      throw corrupt("is not compressed with zstd, buffer by buffer", null);
    }
    if (batch.length() != entry.rows() || batch.variadicBufferCountsLength() != 0) {
      throw corrupt("has " + batch.length() + " rows, its entry says " + entry.rows(), null);
    }
    List<ArrowFieldNode> nodes = nodes(batch);
    List<Compressed> compressed = buffers(batch, bytes, body, bodyLength);
    BatchLayout layout =
        new BatchLayout(nodes, compressed.stream().map(Compressed::rawLength).toList());
    layout.check(root.getSchema(), entry.rows());
    List<ArrowBuf> buffers = new ArrayList<>(compressed.size());
    try {
      for (Compressed buffer : compressed) {
        buffers.add(decompress(buffer, bytes));
      }
      layout.checkOffsets(root.getSchema(), buffers);
      try (ArrowRecordBatch plain =
          new ArrowRecordBatch(Math.toIntExact(entry.rows()), nodes, buffers)) {
        new VectorLoader(root).load(plain);
      }
    } finally {
      buffers.forEach(ArrowBuf::close);
    }
  }

  private List<ArrowFieldNode> nodes(RecordBatch batch) {
    int count = batch.nodesLength();
    if (count > SegmentSchema.MAX_FIELDS) {
      throw corrupt("has " + count + " nodes", null);
    }
    List<ArrowFieldNode> nodes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      FieldNode node = batch.nodes(i);
      if (node.length() < 0
          || node.length() > Integer.MAX_VALUE
          || node.nullCount() < 0
          || node.nullCount() > node.length()) {
        throw corrupt("has a node of length " + node.length(), null);
      }
      nodes.add(new ArrowFieldNode(node.length(), node.nullCount()));
    }
    return nodes;
  }

  private List<Compressed> buffers(RecordBatch batch, byte[] bytes, int body, int bodyLength) {
    int count = batch.buffersLength();
    if (count > 3 * SegmentSchema.MAX_FIELDS) {
      throw corrupt("has " + count + " buffers", null);
    }
    ByteBuffer prefixes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    List<Compressed> buffers = new ArrayList<>(count);
    long total = 0;
    for (int i = 0; i < count; i++) {
      Buffer buffer = batch.buffers(i);
      long offset = buffer.offset();
      long length = buffer.length();
      if (offset < 0 || length < 0 || offset > bodyLength || length > bodyLength - offset) {
        throw corrupt("has a buffer outside its body", null);
      }
      int start = body + (int) offset;
      long raw = 0;
      if (length > 0) {
        if (length <= PREFIX_BYTES) {
          throw corrupt("has a buffer shorter than its prefix", null);
        }
        raw = prefixes.getLong(start);
        if (raw == CompressionUtil.NO_COMPRESSION_LENGTH) {
          raw = length - PREFIX_BYTES;
        }
        if (raw <= 0 || raw > entry.rawBytes() - total) {
          throw corrupt("has more raw bytes than its entry says", null);
        }
      }
      total += raw;
      buffers.add(new Compressed(start, (int) length, raw));
    }
    if (total != entry.rawBytes()) {
      throw corrupt("has " + total + " raw bytes, its entry says " + entry.rawBytes(), null);
    }
    return buffers;
  }

  private ArrowBuf decompress(Compressed buffer, byte[] bytes) {
    if (buffer.length() == 0) {
      return allocator.getEmpty();
    }
    CompressionCodec codec =
        CommonsCompressionFactory.INSTANCE.createCodec(CompressionUtil.CodecType.ZSTD);
    ArrowBuf input = allocator.buffer(buffer.length());
    ArrowBuf output;
    try {
      input.setBytes(0, bytes, buffer.offset(), buffer.length());
      input.writerIndex(buffer.length());
      input.getReferenceManager().retain();
      // Closes the input when it succeeds; what remains is the reference just taken, or both.
      output = codec.decompress(allocator, input);
    } catch (RuntimeException e) {
      input.getReferenceManager().release();
      throw e;
    } finally {
      input.getReferenceManager().release();
    }
    return exact(output, buffer.rawLength());
  }

  /**
   * Limits a buffer to its content: allocators round up, and what lies behind is others' memory.
   */
  private static ArrowBuf exact(ArrowBuf buffer, long length) {
    ArrowBuf exact = buffer.slice(0, length);
    exact.writerIndex(length);
    return exact;
  }

  private WingsException corrupt(String what, @org.jspecify.annotations.Nullable Throwable cause) {
    return WalFormat.corrupt(where, "the batch at " + entry.block().offset() + " " + what, cause);
  }
}
