package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrderComparators;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.StructLikeWrapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random schemas, specs, orders and rows; one seed is one run. */
class EnginePropertyTest {
  private static final int TABLES_PER_SEED = 8;

  @TempDir Path directory;
  private EngineHarness harness;

  @BeforeEach
  void open() {
    harness = new EngineHarness(directory);
  }

  @AfterEach
  void close() throws IOException {
    harness.close();
  }

  /** Traps 27 and 40 among others. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void everyRowIsReadBackByEveryFilterThatItMatches(long seed) throws IOException {
    for (int i = 0; i < TABLES_PER_SEED; i++) {
      long own = seed * 1_000 + i;
      try {
        writeAndCheck(new RandomValues(own));
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + own, e);
      }
    }
  }

  private void writeAndCheck(RandomValues values) throws IOException {
    RandomTables tables = new RandomTables(values);
    Schema first = tables.schema();
    Table table =
        harness.table(first, tables.spec(first), tables.order(first), tables.properties());
    List<VectorSchemaRoot> batches = new ArrayList<>();
    List<Schema> schemas = new ArrayList<>();
    List<List<Record>> rows = new ArrayList<>();
    int evolutions = values.random.nextInt(3);
    for (int step = 0; step <= evolutions; step++) {
      int count = 1 + values.random.nextInt(4);
      for (int i = 0; i < count; i++) {
        List<Record> some = new ArrayList<>();
        for (int row = values.random.nextInt(40); row >= 0; row--) {
          some.add(values.row(table.schema().asStruct()));
        }
        rows.add(some);
        schemas.add(table.schema());
        batches.add(ArrowBatches.batch(table.schema(), some, harness.allocator));
      }
      if (step < evolutions) {
        Evolution.evolve(table, values);
      }
    }
    Encoder forced = values.chance(40) ? Encoder.ICEBERG : null;
    AppendResult result;
    try {
      result = harness.append(table, batches, forced);
    } finally {
      batches.forEach(VectorSchemaRoot::close);
    }
    harness.commit(table, result);
    List<Record> expected = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      expected.addAll(Evolution.asRowsOf(table.schema(), schemas.get(i), rows.get(i)));
    }
    check(table, result, expected, values);
  }

  private void check(Table table, AppendResult result, List<Record> expected, RandomValues values)
      throws IOException {
    assertEquals(expected.size(), result.rows());
    assertSame(expected, harness.read(table), "all rows");
    assertEquals(List.of(), harness.scratchFiles());
    for (DataFile file : result.files()) {
      checkFile(table, file);
    }
    for (String column : RandomTables.leaves(table.schema())) {
      Type type = table.schema().findType(column);
      for (int i = 0; i < 3; i++) {
        checkFilter(table, expected, filter(column, type, expected, values));
      }
    }
  }

  private void checkFile(Table table, DataFile file) {
    assertEquals(table.sortOrder().orderId(), file.sortOrderId());
    List<Record> rows = rowsOf(table, file);
    assertEquals(rows.size(), file.recordCount());
    PartitionKey key = new PartitionKey(table.spec(), table.schema());
    InternalRecordWrapper wrapper = new InternalRecordWrapper(table.schema().asStruct());
    StructLikeWrapper partition = StructLikeWrapper.forType(table.spec().partitionType());
    Comparator<StructLike> order =
        table.sortOrder().isSorted() && !sortsUuids(table)
            ? SortOrderComparators.forSchema(table.schema(), table.sortOrder())
            : (_, _) -> 0;
    Record previous = null;
    for (Record row : rows) {
      key.partition(wrapper.wrap(row));
      assertEquals(partition.copyFor(file.partition()), partition.copyFor(key));
      if (previous != null) {
        InternalRecordWrapper before = new InternalRecordWrapper(table.schema().asStruct());
        assertTrue(
            order.compare(before.wrap(previous), wrapper.wrap(row)) <= 0,
            () -> "not in the order " + table.sortOrder());
      }
      previous = row;
    }
  }

  /** Iceberg's comparator takes a uuid for two signed numbers; files have the order of bytes. */
  private static boolean sortsUuids(Table table) {
    return table.sortOrder().fields().stream()
        .map(field -> table.schema().findType(field.sourceId()))
        .anyMatch(Types.UUIDType.get()::equals);
  }

  private static List<Record> rowsOf(Table table, DataFile file) {
    try (CloseableIterable<Record> rows =
        Parquet.read(table.io().newInputFile(file.location()))
            .project(table.schema())
            .createReaderFunc(schema -> GenericParquetReaders.buildReader(table.schema(), schema))
            .build()) {
      List<Record> all = new ArrayList<>();
      rows.forEach(all::add);
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void checkFilter(Table table, List<Record> rows, Expression filter) {
    Evaluator evaluator = new Evaluator(table.schema().asStruct(), filter);
    InternalRecordWrapper wrapper = new InternalRecordWrapper(table.schema().asStruct());
    List<Record> matching = rows.stream().filter(row -> evaluator.eval(wrapper.wrap(row))).toList();
    assertSame(matching, harness.read(table, filter), filter.toString());
  }

  private static void assertSame(List<Record> expected, List<String> read, String what) {
    List<String> missing = new ArrayList<>(EngineHarness.texts(expected));
    List<String> extra = new ArrayList<>(read);
    EngineHarness.texts(expected).forEach(extra::remove);
    read.forEach(missing::remove);
    assertTrue(
        missing.isEmpty() && extra.isEmpty(),
        () -> what + ": lacks " + missing + " and adds " + extra);
  }

  private static Expression filter(
      String column, Type type, List<Record> rows, RandomValues values) {
    boolean floating = type.typeId() == Type.TypeID.FLOAT || type.typeId() == Type.TypeID.DOUBLE;
    int choice = values.random.nextInt(floating ? 9 : 7);
    Object literal = Literals.of(type, literal(column, rows, values, type));
    if (Literals.isNaN(literal) && choice < 5) {
      choice = 7;
    }
    // Iceberg's evaluator of rows and its pruning differ on what null and NaN compare like.
    Expression comparable = Expressions.notNull(column);
    if (floating) {
      comparable = Expressions.and(comparable, Expressions.notNaN(column));
    }
    return switch (choice) {
      case 0 -> Expressions.and(comparable, Expressions.equal(column, literal));
      case 1 -> Expressions.and(comparable, Expressions.lessThan(column, literal));
      case 2 -> Expressions.and(comparable, Expressions.greaterThanOrEqual(column, literal));
      case 3 -> Expressions.and(comparable, Expressions.notEqual(column, literal));
      case 4 -> Expressions.and(comparable, Expressions.in(column, literal, literal));
      case 5 -> Expressions.isNull(column);
      case 6 -> Expressions.notNull(column);
      case 7 -> Expressions.isNaN(column);
      default -> Expressions.notNaN(column);
    };
  }

  /** A value of the column in some row, or any other. */
  private static Object literal(String column, List<Record> rows, RandomValues values, Type type) {
    Object value = rows.get(values.random.nextInt(rows.size()));
    for (String name : column.split("\\.", -1)) {
      value = value instanceof Record row ? row.getField(name) : null;
    }
    return value == null || values.chance(20) ? values.value(type) : value;
  }
}
