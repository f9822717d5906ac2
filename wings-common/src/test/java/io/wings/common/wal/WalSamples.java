package io.wings.common.wal;

import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.complex.impl.UnionMapWriter;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** Lanes, schemas and batches that tests share. */
public final class WalSamples {
  /** A lane. */
  public static final LaneId LANE =
      new LaneId(
          new TableId(
              new CatalogName("main"), UUID.fromString("6f1c0b2e-8a54-4d0f-9c3e-0a1b2c3d4e5f")),
          "00112233445566778899aabbccddeeff",
          0);

  /** {@code id: long required, note: string}. */
  public static final Schema NARROW =
      new Schema(
          List.of(
              field("id", new ArrowType.Int(64, true), 1, false),
              field("note", ArrowType.Utf8.INSTANCE, 2, true)));

  private WalSamples() {}

  /** A field with a field id. */
  public static Field field(
      String name, ArrowType type, int id, boolean nullable, Field... children) {
    return new Field(
        name,
        new FieldType(nullable, type, null, Map.of(BatchEncoder.FIELD_ID, Integer.toString(id))),
        List.of(children));
  }

  /** One field of most kinds that a table can have. */
  public static Schema wide() {
    Field element = field("element", new ArrowType.Int(32, true), 21, true);
    Field key = field("key", ArrowType.Utf8.INSTANCE, 31, false);
    Field value = field("value", new ArrowType.Int(64, true), 32, true);
    Field entries = field("entries", ArrowType.Struct.INSTANCE, 33, false, key, value);
    Field inner = field("inner", ArrowType.Utf8.INSTANCE, 41, true);
    Field flag = field("flag", ArrowType.Bool.INSTANCE, 42, true);
    return new Schema(
        List.of(
            field("id", new ArrowType.Int(64, true), 1, false),
            field("amount", new ArrowType.Decimal(18, 2, 128), 2, true),
            field("ratio", new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE), 3, true),
            field("at", new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC"), 4, true),
            field("blob", ArrowType.Binary.INSTANCE, 5, true),
            field("fixed", new ArrowType.FixedSizeBinary(16), 6, true),
            field("numbers", ArrowType.List.INSTANCE, 20, true, element),
            field("tags", new ArrowType.Map(false), 30, true, entries),
            field("nested", ArrowType.Struct.INSTANCE, 40, true, inner, flag),
            field("nothing", ArrowType.Null.INSTANCE, 50, true)));
  }

  /** Ids from {@code first}, some notes null. */
  public static VectorSchemaRoot narrow(BufferAllocator allocator, long first, int rows) {
    VectorSchemaRoot root = VectorSchemaRoot.create(NARROW, allocator);
    BigIntVector id = (BigIntVector) root.getVector("id");
    VarCharVector note = (VarCharVector) root.getVector("note");
    id.allocateNew(rows);
    note.allocateNew(rows);
    for (int i = 0; i < rows; i++) {
      id.set(i, first + i);
      if (i % 3 != 2) {
        note.setSafe(i, ("note " + (first + i)).getBytes(StandardCharsets.UTF_8));
      }
    }
    root.setRowCount(rows);
    return root;
  }

  /** Rows of {@link #wide}, a third of them null where they may be. */
  public static VectorSchemaRoot wide(BufferAllocator allocator, int rows) {
    VectorSchemaRoot root = VectorSchemaRoot.create(wide(), allocator);
    root.getFieldVectors().forEach(FieldVector::allocateNew);
    UnionListWriter lists = ((ListVector) root.getVector("numbers")).getWriter();
    UnionMapWriter maps = ((MapVector) root.getVector("tags")).getWriter();
    for (int i = 0; i < rows; i++) {
      ((BigIntVector) root.getVector("id")).setSafe(i, i);
      lists.setPosition(i);
      maps.setPosition(i);
      if (i % 3 == 1) {
        continue;
      }
      ((DecimalVector) root.getVector("amount")).setSafe(i, BigDecimal.valueOf(i * 101L, 2));
      ((Float8Vector) root.getVector("ratio")).setSafe(i, i / 7.0);
      ((TimeStampMicroTZVector) root.getVector("at")).setSafe(i, 1_700_000_000_000_000L + i);
      ((VarBinaryVector) root.getVector("blob")).setSafe(i, new byte[] {(byte) i, 0, (byte) 255});
      ((FixedSizeBinaryVector) root.getVector("fixed")).setSafe(i, new byte[16]);
      lists.startList();
      for (int j = 0; j < i % 4; j++) {
        lists.integer().writeInt(i * 10 + j);
      }
      lists.endList();
      maps.startMap();
      maps.startEntry();
      maps.key().varChar().writeVarChar("k" + i);
      maps.value().bigInt().writeBigInt(i);
      maps.endEntry();
      maps.endMap();
      StructVector nested = (StructVector) root.getVector("nested");
      nested.setIndexDefined(i);
      nested
          .getChild("inner", VarCharVector.class)
          .setSafe(i, ("in " + i).getBytes(StandardCharsets.UTF_8));
      nested.getChild("flag", BitVector.class).setSafe(i, i % 2);
    }
    lists.setValueCount(rows);
    maps.setValueCount(rows);
    root.setRowCount(rows);
    return root;
  }

  /** Every value as text, row by row. */
  public static List<String> text(VectorSchemaRoot root) {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < root.getRowCount(); i++) {
      StringBuilder row = new StringBuilder();
      for (FieldVector vector : root.getFieldVectors()) {
        Object value = vector.getObject(i);
        row.append(vector.getName())
            .append('=')
            .append(
                value instanceof byte[] bytes ? java.util.HexFormat.of().formatHex(bytes) : value)
            .append(' ');
      }
      rows.add(row.toString());
    }
    return rows;
  }

  /** A one-column batch of {@code rows} rows, encoded. */
  public static EncodedBatch encoded(BufferAllocator allocator, long first, int rows) {
    BatchEncoder encoder = new BatchEncoder();
    try (VectorSchemaRoot root = narrow(allocator, first, rows)) {
      return encoder.encode(encoder.encode(NARROW), root);
    }
  }

  /** Fills an int column. */
  static VectorSchemaRoot ints(BufferAllocator allocator, Schema schema, int rows) {
    VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
    IntVector vector = (IntVector) root.getVector(0);
    vector.allocateNew(rows);
    for (int i = 0; i < rows; i++) {
      vector.set(i, i);
    }
    root.setRowCount(rows);
    return root;
  }
}
