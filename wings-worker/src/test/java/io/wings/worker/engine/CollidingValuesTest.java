package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that a client chose so that they all have one hash. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CollidingValuesTest {
  private static final int LONGS = 100_000;

  /** Bits of the numbers that {@link #colliding} makes bytes of. */
  private static final int BITS = 17;

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

  private static Schema maps(Type key) {
    return new Schema(
        NestedField.optional(1, "m", Types.MapType.ofOptional(2, 3, key, Types.IntegerType.get())));
  }

  @FunctionalInterface
  private interface Keys {
    void set(FieldVector keys, int entry);
  }

  /** One row: a map of that many entries; the value of each is its number. */
  private VectorSchemaRoot oneMap(Schema schema, int entries, Keys keys) {
    Field field = ArrowBatches.field(schema.columns().getFirst());
    ListVector map = (ListVector) field.createVector(harness.allocator);
    map.allocateNew();
    StructVector struct = (StructVector) map.getDataVector();
    map.startNewValue(0);
    for (int i = 0; i < entries; i++) {
      struct.setIndexDefined(i);
      keys.set(struct.getChildrenFromFields().get(0), i);
      ((IntVector) struct.getChildrenFromFields().get(1)).setSafe(i, i);
    }
    map.endValue(0, entries);
    map.setValueCount(1);
    VectorSchemaRoot batch = new VectorSchemaRoot(List.of(map));
    batch.setRowCount(1);
    return batch;
  }

  /** Their halves cancel out in {@link Long#hashCode}, which is Arrow's hash of them too. */
  private static long collidingLong(int i) {
    return (long) i << Integer.SIZE | i;
  }

  /** For each number other bytes of one {@link ByteBuffer#hashCode}. */
  private static byte[] colliding(int number) {
    byte[] bytes = new byte[2 * BITS];
    for (int bit = 0; bit < BITS; bit++) {
      boolean set = (number >> bit & 1) != 0;
      bytes[2 * bit] = (byte) (set ? 31 : 0);
      bytes[2 * bit + 1] = (byte) (set ? 0 : 1);
    }
    return bytes;
  }

  @ParameterizedTest
  @EnumSource
  void aMapOfNumbersIsWrittenWithTheLastOfARepeatedKey(Encoder encoder) {
    Schema schema = maps(Types.LongType.get());
    Table table = harness.table(schema);
    try (VectorSchemaRoot batch =
        oneMap(
            schema,
            LONGS + 1,
            (keys, i) -> ((BigIntVector) keys).setSafe(i, collidingLong(i % LONGS)))) {
      harness.commit(table, harness.append(table, List.of(batch), encoder));
    }
    Map<Long, Integer> expected = new LinkedHashMap<>();
    for (int i = 0; i <= LONGS; i++) {
      expected.put(collidingLong(i % LONGS), i);
    }
    assertEquals(List.of("[m=" + EngineHarness.text(expected) + "]"), harness.read(table));
  }

  @ParameterizedTest
  @EnumSource
  void aMapOfBytesIsWritten(Encoder encoder) {
    assertEquals(
        ByteBuffer.wrap(colliding(0)).hashCode(), ByteBuffer.wrap(colliding(77)).hashCode());
    Schema schema = maps(Types.BinaryType.get());
    Table table = harness.table(schema);
    int entries = 1 << BITS;
    try (VectorSchemaRoot batch =
        oneMap(schema, entries, (keys, i) -> ((VarBinaryVector) keys).setSafe(i, colliding(i)))) {
      assertEquals(1, harness.append(table, List.of(batch), encoder).rows());
    }
  }

  /** Trap 21: nor does the number of partitions make looking one up slow. */
  @Test
  void partitionsOfBytesAreToldApart() {
    Schema schema = new Schema(NestedField.required(1, "b", Types.BinaryType.get()));
    int values = 1 << BITS;
    try (VarBinaryVector bytes =
            (VarBinaryVector)
                ArrowBatches.field(schema.columns().getFirst()).createVector(harness.allocator);
        IntVector groups = new IntVector("group", harness.allocator)) {
      bytes.allocateNew();
      for (int i = 0; i < values; i++) {
        bytes.setSafe(i, colliding(i));
      }
      bytes.setValueCount(values);
      PartitionSpec spec = PartitionSpec.builderFor(schema).identity("b").build();
      PartitionGroups partitions =
          new PartitionGroups(spec, FileSchema.of(schema), List.<FieldVector>of(bytes));
      partitions.assign(values, groups);
      assertEquals(values, partitions.size());
    }
  }

  @Test
  void anInterruptEndsTheLookForRepeatedKeys() {
    Schema schema = maps(Types.LongType.get());
    FileSchema file = FileSchema.of(schema);
    try (VectorSchemaRoot batch =
            oneMap(schema, 10_000, (keys, i) -> ((BigIntVector) keys).setSafe(i, i));
        VectorSchemaRoot aligned =
            VectorSchemaRoot.create(
                new org.apache.arrow.vector.types.pojo.Schema(
                    ArrowColumns.of(file.columns(), Encoder.DUCKDB)),
                harness.allocator)) {
      BatchAligner aligner = BatchAligner.of(batch.getSchema(), file, KeyHash.of("secret"));
      Thread.currentThread().interrupt();
      assertThrows(
          InterruptedException.class, () -> aligner.align(batch, aligned.getFieldVectors()));
    }
  }
}
