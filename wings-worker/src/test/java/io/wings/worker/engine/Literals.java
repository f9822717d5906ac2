package io.wings.worker.engine;

import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.apache.iceberg.types.Type;

/** Generic values as what Iceberg's expressions take. */
final class Literals {
  private Literals() {}

  static boolean isNaN(Object value) {
    return (value instanceof Float f && f.isNaN()) || (value instanceof Double d && d.isNaN());
  }

  static Object of(Type type, Object value) {
    return switch (value) {
      case LocalDate date -> (int) date.toEpochDay();
      case LocalTime time -> time.toNanoOfDay() / 1000;
      case LocalDateTime time when type.typeId() == Type.TypeID.TIMESTAMP ->
          micros(time.atOffset(ZoneOffset.UTC));
      case OffsetDateTime time when type.typeId() == Type.TypeID.TIMESTAMP -> micros(time);
      // A number would be taken for microseconds.
      case LocalDateTime time -> DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time);
      case OffsetDateTime time -> DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time);
      case byte[] bytes -> ByteBuffer.wrap(bytes);
      default -> value;
    };
  }

  private static long micros(OffsetDateTime time) {
    OffsetDateTime epoch = OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
    return ChronoUnit.MICROS.between(epoch, time);
  }
}
