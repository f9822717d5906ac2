package io.wings.cli.verify;

import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.jspecify.annotations.Nullable;

/**
 * A value of an Arrow vector as the Java value that {@link RowHash} takes for its Iceberg
 * counterpart.
 */
final class ArrowValue {
  private static final long SECONDS_PER_DAY = 86_400;

  private ArrowValue() {}

  static @Nullable Object read(ValueVector vector, int row) {
    if (vector.isNull(row)) {
      return null;
    }
    return switch (vector) {
      case UInt1Vector v -> v.get(row) & 0xFF;
      case UInt2Vector v -> (int) v.get(row);
      case UInt4Vector v -> v.get(row) & 0xFFFF_FFFFL;
      case UInt8Vector v -> new BigInteger(Long.toUnsignedString(v.get(row)));
      case DateDayVector v -> LocalDate.ofEpochDay(v.get(row));
      case DateMilliVector v ->
          LocalDate.ofEpochDay(Math.floorDiv(v.get(row), SECONDS_PER_DAY * 1000));
      case TimeSecVector v -> LocalTime.ofSecondOfDay(v.get(row));
      case TimeMilliVector v -> LocalTime.ofNanoOfDay(v.get(row) * 1_000_000L);
      case TimeMicroVector v -> LocalTime.ofNanoOfDay(v.get(row) * 1_000L);
      case TimeNanoVector v -> LocalTime.ofNanoOfDay(v.get(row));
      case TimeStampVector v -> instant((ArrowType.Timestamp) v.getField().getType(), v.get(row));
      case MapVector v -> map(v, row);
      case ListVector v ->
          list(v.getDataVector(), v.getElementStartIndex(row), v.getElementEndIndex(row));
      case FixedSizeListVector v ->
          list(v.getDataVector(), v.getElementStartIndex(row), v.getElementEndIndex(row));
      case StructVector v -> struct(v, row);
      default -> vector.getObject(row);
    };
  }

  private static Instant instant(ArrowType.Timestamp type, long value) {
    return switch (type.getUnit()) {
      case SECOND -> Instant.ofEpochSecond(value);
      case MILLISECOND -> split(value, 1_000);
      case MICROSECOND -> split(value, 1_000_000);
      case NANOSECOND -> split(value, 1_000_000_000);
    };
  }

  private static Instant split(long value, long perSecond) {
    long seconds = Math.floorDiv(value, perSecond);
    return Instant.ofEpochSecond(
        seconds, Math.floorMod(value, perSecond) * (1_000_000_000L / perSecond));
  }

  private static List<@Nullable Object> list(ValueVector data, int start, int end) {
    List<@Nullable Object> values = new ArrayList<>(end - start);
    for (int i = start; i < end; i++) {
      values.add(read(data, i));
    }
    return values;
  }

  private static List<@Nullable Object> struct(StructVector vector, int row) {
    List<@Nullable Object> values = new ArrayList<>();
    for (FieldVector child : vector.getChildrenFromFields()) {
      values.add(read(child, row));
    }
    return values;
  }

  private static Map<Object, @Nullable Object> map(MapVector vector, int row) {
    StructVector entries = (StructVector) vector.getDataVector();
    List<FieldVector> children = entries.getChildrenFromFields();
    Map<Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = vector.getElementStartIndex(row); i < vector.getElementEndIndex(row); i++) {
      Object key = read(children.getFirst(), i);
      if (key != null) {
        map.put(key, read(children.getLast(), i));
      }
    }
    return map;
  }
}
