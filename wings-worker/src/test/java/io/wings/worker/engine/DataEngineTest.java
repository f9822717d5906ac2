package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataEngineTest {
  private static final Schema SIMPLE =
      new Schema(
          NestedField.required(1, "id", Types.LongType.get()),
          NestedField.optional(2, "name", Types.StringType.get()));

  @TempDir Path directory;

  private static Record row(Schema schema, @Nullable Object... values) {
    GenericRecord row = GenericRecord.create(schema);
    for (int i = 0; i < values.length; i++) {
      row.set(i, values[i]);
    }
    return row;
  }

  @Test
  void aStockReaderSeesTheRows() throws Exception {
    try (EngineHarness harness = new EngineHarness(directory)) {
      Table table = harness.table(SIMPLE);
      List<Record> rows = List.of(row(SIMPLE, 1L, "a"), row(SIMPLE, 2L, null));
      AppendResult result = harness.write(table, rows);
      assertEquals(2, result.rows());
      assertEquals(1, result.files().size());
      assertEquals(EngineHarness.texts(rows), harness.read(table));
      assertEquals(List.of(), harness.scratchFiles());
    }
  }
}
