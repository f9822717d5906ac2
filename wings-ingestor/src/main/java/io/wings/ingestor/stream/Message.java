package io.wings.ingestor.stream;

import java.util.List;
import org.apache.arrow.vector.types.pojo.Field;

/** An Arrow message header, parsed and within limits; nothing in it was held against a body yet. */
sealed interface Message {
  /**
   * The first message of a stream.
   *
   * @param fields as they arrive: a dictionary-encoded one has the type of its values
   */
  record SchemaMessage(List<Field> fields) implements Message {}

  record DictionaryMessage(long id, boolean delta, Batch data) implements Message {}

  record BatchMessage(Batch data) implements Message {}

  /** How the buffers of a body are compressed. */
  enum Compression {
    NONE,
    LZ4_FRAME,
    ZSTD
  }

  /** One node: a column at some level of nesting. */
  record Node(long length, long nulls) {}

  /** Where a buffer lies in the body. */
  record Span(long offset, long length) {}

  /**
   * Rows, and where their columns lie.
   *
   * @param rows claimed, not negative, within the limit
   * @param variadic buffers of each view column
   */
  record Batch(
      int rows,
      List<Node> nodes,
      List<Span> buffers,
      List<Long> variadic,
      Compression compression) {}
}
