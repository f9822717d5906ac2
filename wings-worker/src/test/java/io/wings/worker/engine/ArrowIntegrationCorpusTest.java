package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FloatingPointVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.BaseListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The streams that Arrow's implementations test each other with: every column whose type maps to an
 * Iceberg type is written and read back.
 */
class ArrowIntegrationCorpusTest {
  @TempDir Path directory;

  /** Gives out field ids as catalogs do, breadth-first. */
  private static final class Mapping {
    private int lastId;

    /** Null where a type, or one inside it, has no counterpart. */
    @Nullable Type type(Field field) {
      return switch (field.getType()) {
        case ArrowType.Bool _ -> Types.BooleanType.get();
        case ArrowType.Int type -> integer(type);
        case ArrowType.FloatingPoint type ->
            switch (type.getPrecision()) {
              case HALF, SINGLE -> Types.FloatType.get();
              case DOUBLE -> Types.DoubleType.get();
            };
        case ArrowType.Decimal type ->
            type.getPrecision() > 38
                ? null
                : Types.DecimalType.of(type.getPrecision(), type.getScale());
        case ArrowType.Date _ -> Types.DateType.get();
        case ArrowType.Timestamp type -> timestamp(type);
        case ArrowType.Utf8 _, ArrowType.LargeUtf8 _, ArrowType.Utf8View _ ->
            Types.StringType.get();
        case ArrowType.Binary _, ArrowType.LargeBinary _, ArrowType.BinaryView _ ->
            Types.BinaryType.get();
        case ArrowType.FixedSizeBinary type ->
            type.getByteWidth() == 0 ? null : Types.FixedType.ofLength(type.getByteWidth());
        case ArrowType.List _, ArrowType.LargeList _, ArrowType.FixedSizeList _ -> list(field);
        case ArrowType.Struct _ -> struct(field);
        case ArrowType.Map _ -> map(field);
        // Times of day in the corpus are any number, intervals and unions have no counterpart.
        default -> null;
      };
    }

    private static Type integer(ArrowType.Int type) {
      boolean isInt = type.getBitWidth() < 32 || (type.getBitWidth() == 32 && type.getIsSigned());
      boolean isLong = type.getIsSigned() || type.getBitWidth() == 32;
      return isInt
          ? Types.IntegerType.get()
          : isLong ? Types.LongType.get() : Types.DecimalType.of(20, 0);
    }

    private static Type timestamp(ArrowType.Timestamp type) {
      boolean zoned = type.getTimezone() != null;
      return switch (type.getUnit()) {
        case SECOND, MILLISECOND, MICROSECOND ->
            zoned ? Types.TimestampType.withZone() : Types.TimestampType.withoutZone();
        case NANOSECOND ->
            zoned ? Types.TimestampNanoType.withZone() : Types.TimestampNanoType.withoutZone();
      };
    }

    private @Nullable Type list(Field field) {
      int id = ++lastId;
      Type element = type(field.getChildren().getFirst());
      return element == null ? null : Types.ListType.ofOptional(id, element);
    }

    private @Nullable Type struct(Field field) {
      List<NestedField> fields = new ArrayList<>();
      int first = lastId + 1;
      lastId += field.getChildren().size();
      for (Field child : field.getChildren()) {
        Type type = type(child);
        if (type == null) {
          return null;
        }
        fields.add(NestedField.optional(first + fields.size(), child.getName(), type));
      }
      return fields.isEmpty() ? null : Types.StructType.of(fields);
    }

    private @Nullable Type map(Field field) {
      int key = ++lastId;
      int value = ++lastId;
      Field entries = field.getChildren().getFirst();
      Type keys = type(entries.getChildren().get(0));
      Type values = type(entries.getChildren().get(1));
      return keys == null || values == null
          ? null
          : Types.MapType.ofOptional(key, value, keys, values);
    }
  }

  @Test
  void everyColumnThatMapsIsReadBackAsItWas() throws Exception {
    List<Path> streams = Corpus.files("arrow-integration", ".stream");
    Map<String, Integer> columns = new TreeMap<>();
    try (EngineHarness harness = new EngineHarness(directory)) {
      for (Path stream : streams) {
        int written = 0;
        try (InputStream in = Files.newInputStream(stream);
            ArrowStreamReader reader = new ArrowStreamReader(in, harness.allocator)) {
          written = writeColumns(harness, reader);
        } catch (IOException | RuntimeException e) {
          // What Arrow for Java itself does not read.
          assertTrue(
              stream.toString().matches(".*(decimal32|decimal64|duplicate_fieldnames)\\.stream"),
              () -> stream + ": " + e);
        }
        columns.put(stream.getFileName().toString(), written);
      }
    }
    int all = columns.values().stream().mapToInt(Integer::intValue).sum();
    assertTrue(all >= 140, () -> all + " columns: " + columns);
  }

  /** Each column goes to a table of its own, all batches in one call. */
  private static int writeColumns(EngineHarness harness, ArrowReader reader) throws Exception {
    VectorSchemaRoot root = reader.getVectorSchemaRoot();
    List<@Nullable Table> tables = new ArrayList<>();
    List<List<VectorSchemaRoot>> batches = new ArrayList<>();
    List<List<Record>> rows = new ArrayList<>();
    for (int i = 0; i < root.getSchema().getFields().size(); i++) {
      tables.add(null);
      batches.add(new ArrayList<>());
      rows.add(new ArrayList<>());
    }
    while (reader.loadNextBatch()) {
      for (int i = 0; i < tables.size(); i++) {
        FieldVector vector = decoded(root.getVector(i), reader);
        Mapping mapping = new Mapping();
        mapping.lastId = 1;
        Type type = mapping.type(vector.getField());
        if (type != null) {
          Table table = tables.get(i);
          if (table == null) {
            table = harness.table(new Schema(NestedField.optional(1, "c", type)));
            tables.set(i, table);
          }
          NestedField column = table.schema().columns().getFirst();
          batches.get(i).add(labelled(vector, column, root.getRowCount(), harness));
          for (int row = 0; row < root.getRowCount(); row++) {
            GenericRecord record = GenericRecord.create(table.schema());
            record.set(0, value(vector, row, column.type()));
            rows.get(i).add(record);
          }
        }
        if (!vector.equals(root.getVector(i))) {
          vector.close();
        }
      }
    }
    int written = 0;
    for (int i = 0; i < tables.size(); i++) {
      Table table = tables.get(i);
      if (table != null) {
        harness.commit(table, harness.append(table, batches.get(i)));
        batches.get(i).forEach(VectorSchemaRoot::close);
        String where = root.getSchema().getFields().get(i).toString();
        assertEquals(EngineHarness.texts(rows.get(i)), harness.read(table), where);
        written++;
      }
    }
    return written;
  }

  private static FieldVector decoded(FieldVector vector, ArrowReader reader) throws IOException {
    var encoding = vector.getField().getDictionary();
    return encoding == null
        ? vector
        : (FieldVector)
            DictionaryEncoder.decode(vector, reader.getDictionaryVectors().get(encoding.getId()));
  }

  /** A copy of a column, with the table's field ids. */
  private static VectorSchemaRoot labelled(
      FieldVector vector, NestedField column, int rows, EngineHarness harness) {
    Field field = label(vector.getField(), column);
    FieldVector copy = field.createVector(harness.allocator);
    copy.allocateNew();
    for (int i = 0; i < rows; i++) {
      copy.copyFromSafe(i, i, vector);
    }
    copy.setValueCount(rows);
    VectorSchemaRoot batch = new VectorSchemaRoot(List.of(field), List.of(copy));
    batch.setRowCount(rows);
    return batch;
  }

  private static Field label(Field field, NestedField column) {
    List<Field> children =
        switch (column.type().typeId()) {
          case STRUCT -> label(field.getChildren(), column.type().asStructType().fields());
          case LIST -> label(field.getChildren(), column.type().asListType().fields());
          case MAP -> {
            Field entries = field.getChildren().getFirst();
            yield List.of(
                new Field(
                    entries.getName(),
                    entries.getFieldType(),
                    label(entries.getChildren(), column.type().asMapType().fields())));
          }
          default -> List.of();
        };
    FieldType type =
        new FieldType(
            field.isNullable(),
            field.getType(),
            null,
            Map.of(BatchAligner.FIELD_ID, Integer.toString(column.fieldId())));
    return new Field(field.getName(), type, children);
  }

  private static List<Field> label(List<Field> fields, List<NestedField> columns) {
    List<Field> labelled = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      labelled.add(label(fields.get(i), columns.get(i)));
    }
    return labelled;
  }

  private static @Nullable Object value(FieldVector vector, int row, Type type) {
    if (vector.isNull(row)) {
      return null;
    }
    return switch (type.typeId()) {
      case BOOLEAN -> ((BitVector) vector).get(row) != 0;
      case INTEGER -> (int) ((BaseIntVector) vector).getValueAsLong(row);
      case LONG -> ((BaseIntVector) vector).getValueAsLong(row);
      case FLOAT -> (float) ((FloatingPointVector) vector).getValueAsDouble(row);
      case DOUBLE -> ((FloatingPointVector) vector).getValueAsDouble(row);
      case DECIMAL ->
          vector instanceof UInt8Vector unsigned
              ? new BigDecimal(Long.toUnsignedString(unsigned.get(row)))
              : (BigDecimal) vector.getObject(row);
      case DATE ->
          vector instanceof DateDayVector days
              ? LocalDate.ofEpochDay(days.get(row))
              : LocalDate.ofEpochDay(((DateMilliVector) vector).get(row) / 86_400_000);
      case TIMESTAMP, TIMESTAMP_NANO -> timestamp((TimeStampVector) vector, row);
      case STRING -> vector.getObject(row).toString();
      case BINARY -> ByteBuffer.wrap((byte[]) vector.getObject(row));
      case FIXED -> vector.getObject(row);
      case STRUCT -> {
        GenericRecord record = GenericRecord.create(type.asStructType());
        List<FieldVector> children = ((StructVector) vector).getChildrenFromFields();
        for (int i = 0; i < children.size(); i++) {
          record.set(i, value(children.get(i), row, type.asStructType().fields().get(i).type()));
        }
        yield record;
      }
      case LIST -> {
        FieldVector elements = vector.getChildrenFromFields().getFirst();
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = start(vector, row); i < end(vector, row); i++) {
          list.add(value(elements, i, type.asListType().elementType()));
        }
        yield list;
      }
      case MAP -> {
        List<FieldVector> entries =
            vector.getChildrenFromFields().getFirst().getChildrenFromFields();
        Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
        for (int i = start(vector, row); i < end(vector, row); i++) {
          map.put(
              value(entries.get(0), i, type.asMapType().keyType()),
              value(entries.get(1), i, type.asMapType().valueType()));
        }
        yield map;
      }
      case TIME, UUID, UNKNOWN, GEOMETRY, GEOGRAPHY, VARIANT ->
          throw new IllegalArgumentException(type.toString());
    };
  }

  private static int start(FieldVector lists, int row) {
    return lists instanceof LargeListVector large
        ? (int) large.getOffsetBuffer().getLong(8L * row)
        : ((BaseListVector) lists).getElementStartIndex(row);
  }

  private static int end(FieldVector lists, int row) {
    return lists instanceof LargeListVector large
        ? (int) large.getOffsetBuffer().getLong(8L * row + 8)
        : ((BaseListVector) lists).getElementEndIndex(row);
  }

  private static Object timestamp(TimeStampVector vector, int row) {
    ArrowType.Timestamp type = (ArrowType.Timestamp) vector.getField().getType();
    long perSecond =
        switch (type.getUnit()) {
          case SECOND -> 1;
          case MILLISECOND -> 1_000;
          case MICROSECOND -> 1_000_000;
          case NANOSECOND -> 1_000_000_000;
        };
    long value = vector.get(row);
    Instant instant =
        Instant.ofEpochSecond(
            Math.floorDiv(value, perSecond),
            Math.floorMod(value, perSecond) * (1_000_000_000 / perSecond));
    LocalDateTime local = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    return type.getTimezone() == null ? local : local.atOffset(ZoneOffset.UTC);
  }
}
