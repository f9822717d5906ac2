package io.wings.ingestor.stream;

import io.wings.catalog.table.PartitionFloor;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Holds values against what the table's partition fields have a result for. A row without one can't
 * be in the table, so it may not be acknowledged.
 */
final class PartitionValues {
  private PartitionValues() {}

  /**
   * @param fields of the table
   * @param columns theirs, aligned
   * @throws io.wings.common.error.WingsException {@code partition-value-invalid}
   */
  static void check(List<Field> fields, List<Column> columns, List<PartitionFloor> floors) {
    for (PartitionFloor floor : floors) {
      check(fields, columns, floor);
    }
  }

  private static void check(List<Field> fields, List<Column> columns, PartitionFloor floor) {
    String first = floor.column().getFirst();
    int at = position(fields, first);
    Field field = fields.get(at);
    Column column = columns.get(at);
    Place place = Place.column(first);
    Present present = present(column, row -> true);
    for (String name : floor.column().subList(1, floor.column().size())) {
      int child = position(field.getChildren(), name);
      field = field.getChildren().get(child);
      column = column.child(child);
      place = place.child(name);
      present = present(column, present);
    }
    for (int row = 0; row < column.length(); row++) {
      if (present.in(row) && isBelow(column, row, floor.least())) {
        throw place.value(
            row,
            "partition-value-invalid",
            "what the partition transform %s has a result for, %s or more"
                .formatted(floor.transform(), text(floor.least(), column.type())),
            "less");
      }
    }
  }

  /** Whether a row has a value, which a null around it hides. */
  private interface Present {
    boolean in(int row);
  }

  private static Present present(Column column, Present around) {
    return column.nulls() == 0 ? around : row -> !column.isNull(row) && around.in(row);
  }

  private static int position(List<Field> fields, String name) {
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).getName().equals(name)) {
        return i;
      }
    }
    throw new IllegalStateException("the table has no column " + name);
  }

  private static boolean isBelow(Column column, int row, BigInteger least) {
    return column.type() instanceof ArrowType.Decimal decimal
        ? Decimals.get(column, decimal, row).compareTo(least) < 0
        : Values.integer(column, row) < least.longValueExact();
  }

  private static String text(BigInteger least, ArrowType type) {
    return type instanceof ArrowType.Decimal decimal
        ? new BigDecimal(least, decimal.getScale()).toPlainString()
        : least.toString();
  }
}
