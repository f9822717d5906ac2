package io.wings.worker.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.iceberg.FieldMetrics;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of a file's float and double columns from what {@code RETURN_STATS} says of the whole
 * file, since a footer says nothing of a row group that has a NaN and never how many there are.
 *
 * <p>DuckDB takes -0.0 and 0.0 for equal, Iceberg doesn't: a bound of zero is put on the side where
 * it covers both.
 */
final class FloatStatistics {
  private FloatStatistics() {}

  /**
   * @param statistics by column, as {@link Sql#statsPath} names them
   */
  static List<FieldMetrics<?>> of(
      FileSchema schema, Map<String, ? extends Map<String, String>> statistics) {
    List<FieldMetrics<?>> metrics = new ArrayList<>();
    collect(List.of(), schema.columns(), statistics, metrics);
    return metrics;
  }

  private static void collect(
      List<NestedField> parents,
      List<NestedField> fields,
      Map<String, ? extends Map<String, String>> statistics,
      List<FieldMetrics<?>> metrics) {
    for (NestedField field : fields) {
      List<NestedField> path = new ArrayList<>(parents);
      path.add(field);
      Type type = field.type();
      if (type.isStructType()) {
        collect(path, type.asStructType().fields(), statistics, metrics);
        continue;
      }
      Map<String, String> column = statistics.get(Sql.statsPath(path));
      if (column != null && type.typeId() == Type.TypeID.FLOAT) {
        metrics.add(of(field, column, text -> Float.parseFloat(javaText(text)), -0.0f, 0.0f));
      } else if (column != null && type.typeId() == Type.TypeID.DOUBLE) {
        metrics.add(of(field, column, text -> Double.parseDouble(javaText(text)), -0.0, 0.0));
      }
    }
  }

  private static <T extends Number> FieldMetrics<T> of(
      NestedField field,
      Map<String, String> column,
      Function<String, T> parse,
      T negativeZero,
      T positiveZero) {
    T min = parsed(column.get("min"), parse);
    T max = parsed(column.get("max"), parse);
    return new FieldMetrics<>(
        field.fieldId(),
        count(column, "num_values"),
        count(column, "null_count"),
        count(column, "nan_count"),
        min != null && min.doubleValue() == 0 ? negativeZero : min,
        max != null && max.doubleValue() == 0 ? positiveZero : max);
  }

  private static <T> @Nullable T parsed(@Nullable String text, Function<String, T> parse) {
    return text == null ? null : parse.apply(text);
  }

  private static long count(Map<String, String> column, String key) {
    String count = column.get(key);
    if (count == null) {
      throw new IllegalStateException("RETURN_STATS lacks " + key + ", got " + column.keySet());
    }
    return Long.parseLong(count);
  }

  private static String javaText(String text) {
    return text.replace("inf", "Infinity");
  }
}
