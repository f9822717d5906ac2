package io.wings.ingestor.stream;

import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** Arrow schemas as clients hand them over outside a stream. */
public final class SchemaMessages {
  private static final int CONTINUATION = -1;

  private SchemaMessages() {}

  /**
   * Reads an encapsulated IPC schema message, what {@code schema.serialize()} of pyarrow and {@code
   * Schema.serializeAsMessage()} of Java give.
   *
   * @return the schema of a stream that begins with it, made plain
   * @throws WingsException of kind INVALID
   */
  public static Schema read(byte[] encapsulated, StreamLimits limits) {
    ByteBuffer bytes = ByteBuffer.wrap(encapsulated).order(ByteOrder.LITTLE_ENDIAN);
    int length = next(bytes);
    if (length == CONTINUATION) {
      length = next(bytes);
    }
    if (length <= 0 || length > bytes.remaining()) {
      throw WingsException.invalid(
          "schema-malformed",
          "expected an Arrow IPC schema message with its length before it, got %d bytes"
              .formatted(encapsulated.length));
    }
    return switch (new MessageReader(limits).read(bytes.slice(bytes.position(), length))) {
      case Message.SchemaMessage(List<Field> fields) -> PlainSchema.of(fields);
      case Message.DictionaryMessage _, Message.BatchMessage _ ->
          throw WingsException.invalid(
              "schema-malformed", "expected an Arrow IPC schema message, got another one");
    };
  }

  private static int next(ByteBuffer bytes) {
    return bytes.remaining() < Integer.BYTES ? 0 : bytes.getInt();
  }
}
