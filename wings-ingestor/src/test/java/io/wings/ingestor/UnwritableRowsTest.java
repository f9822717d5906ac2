package io.wings.ingestor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.wings.ingestor.stream.Frames;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.UnboundTerm;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows and tables that no worker could write are refused before they are acknowledged. */
class UnwritableRowsTest {
  private static final Field AMOUNT = Field.nullable("amount", new ArrowType.Decimal(9, 2, 128));
  private static final Field COUNT = Field.nullable("count", new ArrowType.Int(32, true));
  private static final Field TOTAL = Field.nullable("total", new ArrowType.Int(64, true));
  private static final Schema ARROW =
      new Schema(
          List.of(
              AMOUNT,
              COUNT,
              new Field("inside", FieldType.nullable(ArrowType.Struct.INSTANCE), List.of(TOTAL))));
  private static final org.apache.iceberg.Schema ICEBERG =
      new org.apache.iceberg.Schema(
          NestedField.optional(1, "amount", Types.DecimalType.of(9, 2)),
          NestedField.optional(2, "count", Types.IntegerType.get()),
          NestedField.optional(
              3,
              "inside",
              Types.StructType.of(NestedField.optional(4, "total", Types.LongType.get()))));

  private final IngestorKit kit = new IngestorKit();

  @AfterEach
  void close() {
    kit.close();
  }

  private static List<Frames> frames(Schema schema, Consumer<VectorSchemaRoot> fill) {
    try (BufferAllocator allocator = new RootAllocator(1 << 26);
        VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator)) {
      root.allocateNew();
      fill.accept(root);
      return Frames.of(root, new DictionaryProvider.MapDictionaryProvider());
    }
  }

  private static void amount(VectorSchemaRoot root, int row, String value) {
    ((DecimalVector) root.getVector("amount")).setSafe(row, new BigDecimal(value));
    root.setRowCount(row + 1);
  }

  private static void count(VectorSchemaRoot root, int row, int value) {
    ((IntVector) root.getVector("count")).setSafe(row, value);
    root.setRowCount(row + 1);
  }

  /** The struct is null in a row before, which hides what stands there. */
  private static void total(VectorSchemaRoot root, int row, long value, boolean present) {
    StructVector inside = (StructVector) root.getVector("inside");
    ((BigIntVector) inside.getChild("total")).setSafe(row, value);
    if (present) {
      inside.setIndexDefined(row);
    } else {
      inside.setNull(row);
    }
    root.setRowCount(row + 1);
  }

  private void partitionBy(UnboundTerm<Object> term) {
    kit.catalog.loadTable(TableIdentifier.of("db", "t")).updateSpec().addField(term).commit();
  }

  private Status send(Consumer<VectorSchemaRoot> fill) {
    return kit.put(IngestorKit.request()).sendAll(frames(ARROW, fill)).halfClose().end();
  }

  private static void assertRefused(Status end, String code, String says) {
    assertEquals(Status.Code.INVALID_ARGUMENT, end.getCode(), end.toString());
    String text = String.valueOf(end.getDescription());
    assertTrue(text.startsWith(code + ": ") && text.contains(says), text);
  }

  @Test
  void aDecimalThatTruncationMakesADigitLonger() {
    kit.createTable(ICEBERG);
    partitionBy(Expressions.truncate("amount", 100));
    assertRefused(
        send(
            root -> {
              amount(root, 0, "-9999999.00");
              amount(root, 1, "-9999999.99");
            }),
        "partition-value-invalid",
        "column \"amount\", row 1: expected what the partition transform truncate[100] has a result for, -9999999.00 or more");
    assertEquals(Status.Code.OK, send(root -> amount(root, 0, "-9999999.00")).getCode());
    assertEquals(List.of(new BigDecimal("-9999999.00")), kit.stored("t", "amount"));
  }

  @Test
  void aNumberThatTruncationWrapsAround() {
    kit.createTable(ICEBERG);
    partitionBy(Expressions.truncate("count", 10));
    assertRefused(
        send(root -> count(root, 0, Integer.MIN_VALUE)),
        "partition-value-invalid",
        "column \"count\", row 0: ");
    assertEquals(Status.Code.OK, send(root -> count(root, 0, Integer.MIN_VALUE + 8)).getCode());
  }

  @Test
  void aNumberInsideAStructUnlessItIsHidden() {
    kit.createTable(ICEBERG);
    partitionBy(Expressions.truncate("inside.total", 10));
    assertEquals(Status.Code.OK, send(root -> total(root, 0, Long.MIN_VALUE, false)).getCode());
    assertRefused(
        send(
            root -> {
              total(root, 0, Long.MIN_VALUE, false);
              total(root, 1, Long.MIN_VALUE, true);
            }),
        "partition-value-invalid",
        "column \"inside.total\", row 1: ");
  }

  /** Columns are added once a batch is known to be good, also for the partitions. */
  @Test
  void whatBringsAColumnIsCheckedBeforeTheColumnIsAdded() {
    kit.createTable(
        new org.apache.iceberg.Schema(ICEBERG.columns().getFirst()),
        Map.of("wings.schema.evolution", "add-columns"));
    partitionBy(Expressions.truncate("amount", 100));
    assertRefused(
        send(root -> amount(root, 0, "-9999999.99")), "partition-value-invalid", "\"amount\"");
    assertEquals(1, kit.catalog.loadTable(TableIdentifier.of("db", "t")).schema().columns().size());
  }

  /** What pyarrow makes of {@code {"id": [1], "tags": [[]]}}. */
  @Test
  void aTableOfListsOfNothingIsNotMade() {
    Schema schema =
        new Schema(
            List.of(
                TOTAL,
                new Field(
                    "tags",
                    FieldType.nullable(ArrowType.List.INSTANCE),
                    List.of(Field.nullable("item", ArrowType.Null.INSTANCE)))));
    Status end =
        kit.put(IngestorKit.request().table("fresh").createIfMissing())
            .sendAll(frames(schema, root -> root.setRowCount(0)))
            .halfClose()
            .end();
    assertRefused(end, "table-unsupported", "column \"tags.element\" is of type null");
    assertFalse(kit.tableExists("fresh"));
  }
}
