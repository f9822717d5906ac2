package io.wings.common.wal;

import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

/** Reads schema messages, distrusting every offset in them. */
final class SchemaDecoder {
  private final String where;

  /** Bytes that names may still take; in an honest message no two fields share any. */
  private long budget;

  private int fields;

  private SchemaDecoder(String where, int length) {
    this.where = where;
    this.budget = length;
  }

  /** The schema in {@code length} bytes at {@code offset}. */
  static Schema decode(String where, byte[] bytes, int offset, int length) {
    try {
      return new SchemaDecoder(where, length).decode(message(where, bytes, offset, length));
    } catch (WingsException e) {
      throw WalFormat.corrupt(where, "a schema is malformed: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      // Flatbuffers and Arrow answer bad offsets with whatever their first use of one throws.
      throw WalFormat.corrupt(where, "a schema is malformed: " + e, e);
    }
  }

  private Schema decode(ByteBuffer metadata) {
    Message message = Message.getRootAsMessage(metadata);
    if (message.headerType() != MessageHeader.Schema
        || message.version() != MetadataVersion.V5
        || message.bodyLength() != 0) {
      throw WalFormat.corrupt(where, "a schema block holds another kind of message");
    }
    org.apache.arrow.flatbuf.Schema header = new org.apache.arrow.flatbuf.Schema();
    if (message.header(header) == null) {
      throw WalFormat.corrupt(where, "a schema block is empty");
    }
    if (header.customMetadataLength() != 0 || header.featuresLength() != 0) {
      throw WalFormat.corrupt(where, "a schema has metadata of its own");
    }
    for (int i = 0; i < header.fieldsLength(); i++) {
      count(header.fields(i), false, 1);
    }
    Schema schema = MessageSerializer.deserializeSchema(message);
    SegmentSchema.check(schema);
    return schema;
  }

  /**
   * Bounds the tree before it is built: offsets may point at one table many times, and so make a
   * small message a huge schema.
   */
  private void count(Field field, boolean entries, int depth) {
    if (++fields > SegmentSchema.MAX_FIELDS || depth > SegmentSchema.MAX_DEPTH) {
      throw WalFormat.corrupt(where, "a schema has too many fields or is nested too deep");
    }
    int metadata = field.customMetadataLength();
    if (metadata > 1 || (metadata == 0 && !entries) || field.dictionary() != null) {
      throw WalFormat.corrupt(where, "a field has metadata other than its id");
    }
    spend(field.nameAsByteBuffer());
    if (metadata == 1) {
      spend(field.customMetadata(0).keyAsByteBuffer());
      spend(field.customMetadata(0).valueAsByteBuffer());
    }
    boolean map = field.typeType() == Type.Map;
    for (int i = 0; i < field.childrenLength(); i++) {
      count(field.children(i), map, depth + 1);
    }
  }

  private void spend(ByteBuffer text) {
    budget -= text.remaining();
    if (budget < 0) {
      throw WalFormat.corrupt(where, "a schema's names overlap");
    }
  }

  /**
   * The flatbuffer of an encapsulated message.
   *
   * @return positioned at the flatbuffer and limited to it, backed by no more bytes than it
   */
  static ByteBuffer message(String where, byte[] bytes, int offset, int length) {
    ByteBuffer block =
        ByteBuffer.wrap(bytes, offset, length).slice().order(ByteOrder.LITTLE_ENDIAN);
    if (length < 8 || block.getInt(0) != MessageSerializer.IPC_CONTINUATION_TOKEN) {
      throw WalFormat.corrupt(where, "a block is no encapsulated message");
    }
    int metadata = block.getInt(4);
    if (metadata <= 0 || metadata > length - 8 || metadata % WalFormat.ALIGNMENT != 0) {
      throw WalFormat.corrupt(where, "a message's metadata would have " + metadata + " bytes");
    }
    return block.slice(8, metadata).order(ByteOrder.LITTLE_ENDIAN);
  }
}
