package io.wings.catalog.table;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * The least value of a column that a partition field has a result for. Truncation rounds down, so
 * what is below comes out below all that the column's type holds: as a decimal of too many digits,
 * which no manifest takes, or wrapped around to a large number, by which readers miss the row.
 * Every other transform has a result for every value.
 *
 * @param column names of the column's ancestors, outermost first, and its own
 * @param least unscaled, where it is a decimal
 * @param transform as Iceberg spells it
 */
public record PartitionFloor(List<String> column, BigInteger least, String transform) {
  private static final Pattern TRUNCATE = Pattern.compile("truncate\\[([0-9]+)]");

  public PartitionFloor {
    column = List.copyOf(column);
  }

  /** Those of a partition spec. */
  public static List<PartitionFloor> of(PartitionSpec spec, Schema schema) {
    Map<Integer, Integer> parents = TypeUtil.indexParents(schema.asStruct());
    List<PartitionFloor> floors = new ArrayList<>();
    for (PartitionField field : spec.fields()) {
      Matcher truncate = TRUNCATE.matcher(field.transform().toString());
      Type type = schema.findType(field.sourceId());
      BigInteger lowest = type == null ? null : lowest(type);
      if (lowest != null && truncate.matches()) {
        BigInteger width = new BigInteger(truncate.group(1));
        floors.add(
            new PartitionFloor(
                names(field.sourceId(), schema, parents),
                lowest.divide(width).multiply(width),
                truncate.group()));
      }
    }
    return List.copyOf(floors);
  }

  private static @Nullable BigInteger lowest(Type type) {
    return switch (type.typeId()) {
      case INTEGER -> BigInteger.valueOf(Integer.MIN_VALUE);
      case LONG -> BigInteger.valueOf(Long.MIN_VALUE);
      case DECIMAL ->
          BigInteger.ONE.subtract(BigInteger.TEN.pow(((Types.DecimalType) type).precision()));
      default -> null;
    };
  }

  private static List<String> names(int id, Schema schema, Map<Integer, Integer> parents) {
    List<String> names = new ArrayList<>();
    for (Integer at = id; at != null; at = parents.get(at)) {
      names.add(schema.findField(at).name());
    }
    return names.reversed();
  }
}
