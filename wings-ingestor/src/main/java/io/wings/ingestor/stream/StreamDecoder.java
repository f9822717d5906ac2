package io.wings.ingestor.stream;

import io.wings.catalog.table.Alignment;
import io.wings.catalog.table.PartitionFloor;
import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Decodes the Arrow messages of one stream: a schema, then dictionaries and batches.
 *
 * <p>Not safe for several threads. After it threw, dictionaries may be behind what the sender
 * believes; the stream can go on only if no dictionary was refused.
 */
final class StreamDecoder implements AutoCloseable {
  private final BufferAllocator scratch;
  private final StreamLimits limits;
  private final List<Field> fields;
  private final Schema schema;
  private final Dictionaries dictionaries;

  private StreamDecoder(
      List<Field> fields, BufferAllocator memory, BufferAllocator scratch, StreamLimits limits) {
    this.scratch = scratch;
    this.limits = limits;
    this.fields = fields;
    this.schema = PlainSchema.of(fields);
    this.dictionaries = new Dictionaries(fields, memory, scratch, limits);
  }

  /**
   * Begins a stream with its first message.
   *
   * @param header must hold a schema
   * @param memory what the stream's dictionaries may take, with all others
   * @param scratch what batches may take while they are decoded
   * @throws WingsException of kind INVALID; nothing stays allocated
   */
  static StreamDecoder open(
      ByteBuffer header, BufferAllocator memory, BufferAllocator scratch, StreamLimits limits) {
    return switch (new MessageReader(limits).read(header)) {
      case Message.SchemaMessage(List<Field> fields) ->
          new StreamDecoder(fields, memory, scratch, limits);
      case Message.DictionaryMessage _, Message.BatchMessage _ ->
          throw WingsException.invalid(
              "schema-missing", "a stream begins with its schema, got another Arrow message");
    };
  }

  /**
   * The schema of what is decoded: the stream's, with dictionaries decoded, views and large types
   * plain, every list a list.
   */
  Schema schema() {
    return schema;
  }

  /**
   * Parses the header of the next message.
   *
   * @throws WingsException {@code message-malformed}, {@code message-too-large}, {@code
   *     batch-too-large}
   */
  Message parse(ByteBuffer header) {
    return new MessageReader(limits).read(header);
  }

  /** Takes a dictionary; nothing of it stays if it is refused. */
  void take(Message.DictionaryMessage message, ByteBuffer body) {
    requireSize(body);
    dictionaries.read(message, body);
  }

  private void requireSize(ByteBuffer body) {
    if (body.remaining() > limits.bodyBytes()) {
      throw WingsException.invalid(
          "batch-too-large",
          "a message body has %d bytes, at most %d are taken; send smaller batches"
              .formatted(body.remaining(), limits.bodyBytes()));
    }
  }

  /**
   * Decodes a batch.
   *
   * @return the caller closes it
   * @throws WingsException of kind INVALID for whatever is wrong with it, UNAVAILABLE {@code
   *     ingestor-busy} when there is no memory; nothing of it stays allocated
   */
  Batch decode(Message.Batch data, ByteBuffer body) {
    requireSize(body);
    Arena arena = new Arena(scratch, limits.batchBytes());
    try {
      List<Column> columns = new ColumnReader(data, body, arena, limits, dictionaries).read(fields);
      return new Batch(data.rows(), columns, arena);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /** A checked batch in the stream's own columns. */
  static final class Batch implements AutoCloseable {
    private final int rows;
    private final List<Column> columns;
    private final Arena arena;

    private Batch(int rows, List<Column> columns, Arena arena) {
      this.rows = rows;
      this.columns = columns;
      this.arena = arena;
    }

    int rows() {
      return rows;
    }

    /**
     * The batch in the table's columns.
     *
     * @param alignment of {@link StreamDecoder#schema()} to the table's
     * @return the caller closes it, before this batch
     * @throws WingsException {@code null-in-required-column}, {@code value-out-of-range}
     */
    VectorSchemaRoot align(Alignment alignment) {
      return align(alignment, List.of());
    }

    /**
     * The same, for a table whose partition fields don't take every value.
     *
     * @throws WingsException also {@code partition-value-invalid}
     */
    VectorSchemaRoot align(Alignment alignment, List<PartitionFloor> floors) {
      List<Column> aligned = new Aligning(rows, arena).apply(alignment, columns);
      PartitionValues.check(alignment.target().getFields(), aligned, floors);
      return Vectors.load(alignment.target(), aligned, rows, arena.allocator());
    }

    @Override
    public void close() {
      arena.close();
    }
  }

  @Override
  public void close() {
    dictionaries.close();
  }
}
