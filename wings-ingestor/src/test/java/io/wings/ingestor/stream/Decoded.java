package io.wings.ingestor.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.catalog.table.Alignment;
import io.wings.catalog.table.ArrowSchemas;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/** Decodes crafted streams; each time all memory must be free again afterwards. */
final class Decoded {
  static final StreamLimits LIMITS =
      new StreamLimits(1 << 16, 1 << 20, 1 << 20, 1_000, 10_000, 50, 6, 3, 1 << 12);

  private Decoded() {}

  /** The values of every column of every batch, held against a table made from the schema. */
  static List<List<@Nullable Object>> values(Field field, Frames... messages) {
    return values(null, List.of(field), messages);
  }

  /** The same, held against a given table. */
  static List<List<@Nullable Object>> values(
      org.apache.iceberg.@Nullable Schema table, List<Field> fields, Frames... messages) {
    List<List<@Nullable Object>> values = new ArrayList<>();
    try (BufferAllocator allocator = new RootAllocator(1 << 24);
        StreamDecoder decoder =
            StreamDecoder.open(
                Crafted.schema(fields.toArray(Field[]::new)).header(),
                allocator,
                allocator,
                LIMITS)) {
      Alignment alignment =
          ArrowSchemas.align(
              decoder.schema(), table == null ? ArrowSchemas.toIceberg(decoder.schema()) : table);
      for (Frames message : messages) {
        try (StreamDecoder.Batch batch = Decoding.read(decoder, message)) {
          if (batch != null) {
            try (VectorSchemaRoot root = batch.align(alignment)) {
              for (FieldVector vector : root.getFieldVectors()) {
                values.add(VectorValues.of(vector));
              }
            }
          }
        }
      }
    }
    return values;
  }

  /** How the messages are refused. */
  static String refusal(Field field, Frames... messages) {
    return refusal(null, List.of(field), messages);
  }

  static String refusal(
      org.apache.iceberg.@Nullable Schema table, List<Field> fields, Frames... messages) {
    WingsException refused =
        assertThrows(WingsException.class, () -> values(table, fields, messages));
    assertEquals(ErrorKind.INVALID, refused.kind());
    return String.valueOf(refused.getMessage());
  }
}
