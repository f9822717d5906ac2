package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;

/** Each floor is held against what Iceberg's own transform makes of it, and of what is below. */
class PartitionFloorTest {
  private static final Schema SCHEMA =
      new Schema(
          NestedField.required(1, "i", Types.IntegerType.get()),
          NestedField.optional(2, "l", Types.LongType.get()),
          NestedField.optional(3, "d", Types.DecimalType.of(9, 2)),
          NestedField.optional(4, "text", Types.StringType.get()),
          NestedField.optional(
              5,
              "s",
              Types.StructType.of(NestedField.optional(6, "d.d", Types.DecimalType.of(38, 0)))));

  private static PartitionFloor only(PartitionSpec spec) {
    List<PartitionFloor> floors = PartitionFloor.of(spec, SCHEMA);
    assertEquals(1, floors.size());
    return floors.getFirst();
  }

  @SuppressWarnings("unchecked")
  private static Object applied(PartitionSpec spec, Type type, Object value) {
    return ((Transform<Object, Object>) spec.fields().getFirst().transform())
        .bind(type)
        .apply(value);
  }

  @Test
  void numbersBelowItWrapAround() {
    PartitionSpec ints = PartitionSpec.builderFor(SCHEMA).truncate("i", 10).build();
    int leastInt = only(ints).least().intValueExact();
    assertEquals(-2147483640, leastInt);
    assertEquals(leastInt, applied(ints, Types.IntegerType.get(), leastInt));
    assertTrue((int) applied(ints, Types.IntegerType.get(), leastInt - 1) > 0);
    PartitionSpec longs = PartitionSpec.builderFor(SCHEMA).truncate("l", 1000).build();
    long leastLong = only(longs).least().longValueExact();
    assertEquals(leastLong, applied(longs, Types.LongType.get(), leastLong));
    assertTrue((long) applied(longs, Types.LongType.get(), leastLong - 1) > 0);
  }

  @Test
  void decimalsBelowItGetADigitMore() {
    PartitionSpec spec = PartitionSpec.builderFor(SCHEMA).truncate("d", 100).build();
    Type type = SCHEMA.findType("d");
    PartitionFloor floor = only(spec);
    assertEquals(
        new PartitionFloor(List.of("d"), BigInteger.valueOf(-999_999_900), "truncate[100]"), floor);
    BigDecimal least = new BigDecimal(floor.least(), 2);
    assertEquals(9, ((BigDecimal) applied(spec, type, least)).precision());
    BigDecimal below = least.subtract(new BigDecimal("0.01"));
    assertEquals(10, ((BigDecimal) applied(spec, type, below)).precision());
  }

  @Test
  void aColumnInsideStructsIsNamedByItsWholePath() {
    PartitionFloor floor = only(PartitionSpec.builderFor(SCHEMA).truncate("s.d.d", 7).build());
    assertEquals(List.of("s", "d.d"), floor.column());
  }

  @Test
  void otherTransformsAndTypesTakeEveryValue() {
    PartitionSpec spec =
        PartitionSpec.builderFor(SCHEMA)
            .truncate("text", 3)
            .identity("d", "d_itself")
            .bucket("l", 4)
            .build();
    assertEquals(List.of(), PartitionFloor.of(spec, SCHEMA));
  }
}
