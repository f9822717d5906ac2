package io.wings.ingestor.stream;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/** Columns that hold one value in every row. */
final class Constant {
  private Constant() {}

  /** All null. */
  static Column nulls(Field field, int length, Arena arena) {
    ArrowType type = field.getType();
    ArrowBuf none = arena.empty();
    if (type instanceof ArrowType.Null) {
      return new Column(type, length, length, null, none, none, List.of());
    }
    ArrowBuf validity = length == 0 ? null : arena.zeroes((length + 7L) / 8);
    return switch (Layout.of(type)) {
      case Layout.Bits _ ->
          new Column(
              type, length, length, validity, none, arena.zeroes((length + 7L) / 8), List.of());
      case Layout.Fixed(int width) ->
          new Column(
              type, length, length, validity, none, arena.zeroes((long) length * width), List.of());
      case Layout.Bytes _ ->
          new Column(type, length, length, validity, offsets(length, arena), none, List.of());
      case Layout.Lists _ ->
          new Column(
              type,
              length,
              length,
              validity,
              offsets(length, arena),
              none,
              List.of(nulls(field.getChildren().getFirst(), 0, arena)));
      case Layout.Structs _ ->
          new Column(
              type,
              length,
              length,
              validity,
              none,
              none,
              field.getChildren().stream().map(child -> nulls(child, length, arena)).toList());
      default -> throw new IllegalStateException("not plain: " + type);
    };
  }

  private static ArrowBuf offsets(int length, Arena arena) {
    return arena.zeroes((length + 1L) * Integer.BYTES);
  }

  /**
   * {@code value} in every row.
   *
   * @param value in Iceberg's internal representation, of a primitive type
   */
  static Column of(Field field, Object value, int length, Arena arena) {
    ArrowType type = field.getType();
    ArrowBuf none = arena.empty();
    return switch (Layout.of(type)) {
      case Layout.Bits _ -> {
        ArrowBuf bits = arena.zeroes((length + 7L) / 8);
        if ((Boolean) value) {
          bits.setOne(0, bits.capacity());
        }
        yield new Column(type, length, 0, null, none, bits, List.of());
      }
      case Layout.Fixed(int width) -> {
        ArrowBuf data = arena.allocate((long) length * width);
        repeat(bytes(value, width), length, data);
        yield new Column(type, length, 0, null, none, data, List.of());
      }
      case Layout.Bytes _ -> {
        byte[] bytes = bytes(value, -1);
        arena.charge((long) bytes.length * length);
        ArrowBuf data = arena.allocate((long) bytes.length * length);
        repeat(bytes, length, data);
        ArrowBuf offsets = offsets(length, arena);
        IntBuffer ends = Column.ints(offsets);
        for (int i = 0; i <= length; i++) {
          ends.put(i, i * bytes.length);
        }
        yield new Column(type, length, 0, null, offsets, data, List.of());
      }
      default -> throw new IllegalStateException("no default of type " + type);
    };
  }

  private static void repeat(byte[] bytes, int length, ArrowBuf to) {
    for (int i = 0; i < length; i++) {
      to.setBytes((long) i * bytes.length, bytes);
    }
  }

  private static byte[] bytes(Object value, int width) {
    return switch (value) {
      case Integer number -> little(4).putInt(number).array();
      case Long number -> little(8).putLong(number).array();
      case Float number -> little(4).putFloat(number).array();
      case Double number -> little(8).putDouble(number).array();
      case BigDecimal number -> decimal(number.unscaledValue(), width);
      case UUID uuid ->
          ByteBuffer.allocate(16)
              .putLong(uuid.getMostSignificantBits())
              .putLong(uuid.getLeastSignificantBits())
              .array();
      case CharSequence text -> text.toString().getBytes(StandardCharsets.UTF_8);
      case ByteBuffer buffer -> {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        yield copy;
      }
      default -> throw new IllegalStateException("no default of " + value.getClass());
    };
  }

  private static ByteBuffer little(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] decimal(BigInteger unscaled, int width) {
    byte[] big = unscaled.toByteArray();
    byte[] little = new byte[width];
    for (int i = 0; i < width; i++) {
      int at = big.length - 1 - i;
      little[i] = at >= 0 ? big[at] : (byte) (unscaled.signum() < 0 ? -1 : 0);
    }
    return little;
  }
}
