package io.wings.cli.source;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Vectors as the buffers of a batch without dictionaries, whatever depth they were at: a stream
 * sends its dictionaries once, at its start, and a file may replace them between batches.
 */
final class FlatBatch implements AutoCloseable {
  private static final int VIEW_BUFFERS = 2;

  private final DictionaryProvider dictionaries;
  private final BufferAllocator allocator;
  private final List<ArrowFieldNode> nodes = new ArrayList<>();
  private final List<ArrowBuf> buffers = new ArrayList<>();
  private final List<Long> viewBuffers = new ArrayList<>();
  private final List<FieldVector> decoded = new ArrayList<>();
  private final ArrowRecordBatch batch;

  /** The rows of {@code root}, which stays the caller's. */
  FlatBatch(VectorSchemaRoot root, DictionaryProvider dictionaries, BufferAllocator allocator) {
    this.dictionaries = dictionaries;
    this.allocator = allocator;
    try {
      root.getFieldVectors().forEach(this::append);
      this.batch =
          new ArrowRecordBatch(
              root.getRowCount(),
              nodes,
              buffers,
              NoCompressionCodec.DEFAULT_BODY_COMPRESSION,
              viewBuffers,
              true);
    } catch (RuntimeException e) {
      decoded.forEach(FieldVector::close);
      throw e;
    }
  }

  private void append(FieldVector vector) {
    DictionaryEncoding encoding = vector.getField().getDictionary();
    if (encoding != null) {
      Dictionary dictionary = dictionaries.lookup(encoding.getId());
      FieldVector values = (FieldVector) DictionaryEncoder.decode(vector, dictionary, allocator);
      decoded.add(values);
      append(values);
      return;
    }
    nodes.add(new ArrowFieldNode(vector.getValueCount(), vector.getNullCount()));
    List<ArrowBuf> own = vector.getFieldBuffers();
    buffers.addAll(own);
    if (vector instanceof BaseVariableWidthViewVector) {
      viewBuffers.add((long) own.size() - VIEW_BUFFERS);
    }
    vector.getChildrenFromFields().forEach(this::append);
  }

  /** The schema of what this class makes of batches of {@code schema}. */
  static Schema schema(Schema schema, DictionaryProvider dictionaries) {
    return new Schema(
        schema.getFields().stream().map(field -> flat(field, dictionaries)).toList(),
        schema.getCustomMetadata());
  }

  private static Field flat(Field field, DictionaryProvider dictionaries) {
    DictionaryEncoding encoding = field.getDictionary();
    Field values =
        encoding == null ? field : dictionaries.lookup(encoding.getId()).getVector().getField();
    ArrowType type = values.getType();
    return new Field(
        field.getName(),
        new FieldType(field.isNullable(), type, null, field.getMetadata()),
        values.getChildren().stream().map(child -> flat(child, dictionaries)).toList());
  }

  long bytes() {
    return batch.computeBodyLength();
  }

  /** Makes {@code root}, which is of the flat schema, share the rows. */
  void into(VectorSchemaRoot root) {
    new VectorLoader(root).load(batch);
  }

  @Override
  public void close() {
    batch.close();
    decoded.forEach(FieldVector::close);
  }
}
