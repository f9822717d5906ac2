package io.wings.worker.engine;

import java.math.BigDecimal;
import java.util.List;
import java.util.function.Function;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/** A transform of Iceberg's over one field of the rows in some vectors. */
final class TransformedField {
  private final FieldPath.@Nullable Vectors vectors;
  private final Function<Object, @Nullable Object> function;
  private final ArrowValues.Reader source;
  private final Transform<?, ?> transform;
  private final @Nullable Type type;
  private final String name;

  private TransformedField(
      FieldPath.@Nullable Vectors vectors,
      Function<Object, @Nullable Object> function,
      ArrowValues.Reader source,
      Transform<?, ?> transform,
      @Nullable Type type,
      String name) {
    this.type = type;
    this.name = name;
    this.vectors = vectors;
    this.function = function;
    this.source = source;
    this.transform = transform;
  }

  /**
   * @param sourceId a field that files don't hold reads as null
   */
  static TransformedField of(
      int sourceId, Transform<?, ?> transform, FileSchema schema, List<FieldVector> columns) {
    FieldPath path = FieldPath.to(sourceId, schema);
    String name = schema.printable(sourceId);
    if (path == null || transform.isVoid()) {
      return new TransformedField(null, _ -> null, _ -> null, transform, null, name);
    }
    FieldPath.Vectors vectors = path.in(columns);
    return new TransformedField(
        vectors,
        bind(transform, path.type()),
        ArrowValues.reader(path.type(), vectors.field()),
        transform,
        path.type(),
        name);
  }

  @SuppressWarnings({"unchecked", "NullAway"})
  private static Function<Object, @Nullable Object> bind(Transform<?, ?> transform, Type type) {
    if (!transform.canTransform(type)) {
      throw Encoder.unsupported("transform " + transform + " of type " + type);
    }
    return ((Transform<Object, Object>) transform).bind(type);
  }

  boolean isNull(int row) {
    return vectors == null || vectors.isNull(row);
  }

  /** The transform of the field's value in that row; see {@link #isTooLong}. */
  @Nullable Object value(int row) {
    if (isNull(row)) {
      return null;
    }
    Object value = source.read(row);
    return value == null ? null : function.apply(value);
  }

  /**
   * Whether a result of type {@code type} has more digits than that: a decimal that is truncated is
   * rounded down, beyond the least value in the end.
   */
  static boolean isTooLong(@Nullable Object result, Type type) {
    return result instanceof BigDecimal decimal
        && type instanceof Types.DecimalType expected
        && decimal.precision() > expected.precision();
  }

  /**
   * The transform of the field's value in that row, for a file's partition.
   *
   * @throws io.wings.common.error.WingsException {@code partition-value-invalid} where the field's
   *     type can't hold it
   */
  @Nullable Object partition(int row) {
    Object value = value(row);
    if (type != null && isTooLong(value, type)) {
      throw ColumnError.partition(name, row, transform, type);
    }
    return value;
  }

  /** The field's own vector; null when every value is null. */
  @Nullable FieldVector vector() {
    return vectors == null ? null : vectors.field();
  }

  /**
   * Whether values between two that transform alike do so too, with no exception at the ends of the
   * type's range.
   */
  boolean isTimeUnit() {
    return switch (transform.toString()) {
      case "year", "month", "day", "hour" -> true;
      default -> false;
    };
  }
}
