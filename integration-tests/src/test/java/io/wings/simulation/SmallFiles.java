package io.wings.simulation;

import io.wings.worker.engine.AppendResult;
import io.wings.worker.engine.AppendTarget;
import io.wings.worker.engine.BatchSource;
import io.wings.worker.materialize.RowWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/** Writes the rows of a pass as small files with Iceberg's own writers, matched by field id. */
final class SmallFiles implements RowWriter {
  private static final String FIELD_ID = "PARQUET:field_id";

  private final Scenario.Files files;

  SmallFiles(Scenario.Files files) {
    this.files = files;
  }

  @Override
  public AppendResult append(AppendTarget target, BatchSource batches) throws InterruptedException {
    Schema schema = target.table().schema();
    List<Record> rows = new ArrayList<>();
    try {
      for (VectorSchemaRoot root = batches.next(); root != null; root = batches.next()) {
        read(root, schema, rows);
      }
      if (rows.isEmpty()) {
        return new AppendResult(List.of(), 0);
      }
      return new AppendResult(
          RowFiles.write(target.table(), target.filePrefix(), rows, files), rows.size());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void read(VectorSchemaRoot root, Schema schema, List<Record> rows) {
    Map<Integer, FieldVector> byId = new HashMap<>();
    for (FieldVector vector : root.getFieldVectors()) {
      byId.put(Integer.valueOf(vector.getField().getMetadata().get(FIELD_ID)), vector);
    }
    for (int row = 0; row < root.getRowCount(); row++) {
      GenericRecord copy = GenericRecord.create(schema);
      for (Types.NestedField field : schema.columns()) {
        FieldVector vector = byId.get(field.fieldId());
        copy.setField(field.name(), vector == null ? null : as(field.type(), value(vector, row)));
      }
      rows.add(copy);
    }
  }

  /** A column may have been widened after its segment was written. */
  private static @Nullable Object as(Type type, @Nullable Object value) {
    return value instanceof Integer narrow && type.typeId() == Type.TypeID.LONG
        ? (Object) narrow.longValue()
        : value;
  }

  private static @Nullable Object value(FieldVector vector, int row) {
    if (vector.isNull(row)) {
      return null;
    }
    return switch (vector) {
      case IntVector ints -> ints.get(row);
      case BigIntVector longs -> longs.get(row);
      case VarCharVector texts -> new String(texts.get(row), StandardCharsets.UTF_8);
      default -> throw new IllegalStateException("no column of " + vector.getField());
    };
  }
}
