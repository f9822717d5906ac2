package io.wings.catalog.table;

import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** Which primitive Arrow types become which of a table's without loss. */
final class Widening {
  private Widening() {}

  /**
   * @param from any type that a client sends, extensions looked through
   * @param to a type that {@link ArrowSchemas#expected} yields
   */
  static boolean allowed(ArrowType from, ArrowType to) {
    if (from.equals(to)) {
      return true;
    }
    return switch (to) {
      case ArrowType.Int target -> integers(from, target);
      case ArrowType.FloatingPoint target -> floats(from, target);
      case ArrowType.Decimal target -> decimals(from, target);
      case ArrowType.Date _ -> from instanceof ArrowType.Date;
      case ArrowType.Time _ ->
          from instanceof ArrowType.Time time && time.getUnit() != TimeUnit.NANOSECOND;
      case ArrowType.Timestamp target -> timestamps(from, target);
      case ArrowType.Utf8 _ ->
          from instanceof ArrowType.LargeUtf8 || from instanceof ArrowType.Utf8View;
      case ArrowType.Binary _ ->
          from instanceof ArrowType.LargeBinary
              || from instanceof ArrowType.BinaryView
              || from instanceof ArrowType.FixedSizeBinary;
      default -> false;
    };
  }

  private static boolean integers(ArrowType from, ArrowType.Int to) {
    if (!(from instanceof ArrowType.Int source)) {
      return false;
    }
    int valueBits = source.getIsSigned() ? source.getBitWidth() : source.getBitWidth() + 1;
    return valueBits <= to.getBitWidth();
  }

  private static boolean floats(ArrowType from, ArrowType.FloatingPoint to) {
    return from instanceof ArrowType.FloatingPoint source
        && (to.getPrecision() == FloatingPointPrecision.DOUBLE
            || source.getPrecision() != FloatingPointPrecision.DOUBLE);
  }

  private static boolean decimals(ArrowType from, ArrowType.Decimal to) {
    return switch (from) {
      case ArrowType.Decimal source ->
          source.getScale() == to.getScale() && source.getPrecision() <= to.getPrecision();
      case ArrowType.Int source -> to.getScale() == 0 && digits(source) <= to.getPrecision();
      default -> false;
    };
  }

  /** Decimal digits that hold every value of an integer type. */
  private static int digits(ArrowType.Int type) {
    return switch (type.getBitWidth()) {
      case 8 -> 3;
      case 16 -> 5;
      case 32 -> 10;
      default -> type.getIsSigned() ? 19 : 20;
    };
  }

  private static boolean timestamps(ArrowType from, ArrowType.Timestamp to) {
    if (!(from instanceof ArrowType.Timestamp source)) {
      return false;
    }
    boolean zoned = source.getTimezone() != null && !source.getTimezone().isEmpty();
    boolean precise =
        source.getUnit() != TimeUnit.NANOSECOND || to.getUnit() == TimeUnit.NANOSECOND;
    return zoned == (to.getTimezone() != null) && precise;
  }
}
