package io.wings.ingestor.stream;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.jspecify.annotations.Nullable;

/** What a vector holds, as plain Java values that compare with those of the golden JSON. */
public final class VectorValues {
  private VectorValues() {}

  /** All values, in order. */
  public static List<@Nullable Object> of(FieldVector vector) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < vector.getValueCount(); i++) {
      values.add(value(vector, i));
    }
    return values;
  }

  private static @Nullable Object value(FieldVector vector, int i) {
    if (vector.isNull(i)) {
      return null;
    }
    return switch (vector.getField().getType()) {
      case ArrowType.Bool _ -> (vector.getDataBuffer().getByte(i / 8) >> (i % 8) & 1) == 1;
      case ArrowType.Int t ->
          t.getBitWidth() == 64
              ? new BigDecimal(vector.getDataBuffer().getLong(8L * i))
              : new BigDecimal(vector.getDataBuffer().getInt(4L * i));
      case ArrowType.FloatingPoint t ->
          t.getPrecision() == FloatingPointPrecision.DOUBLE
              ? vector.getDataBuffer().getDouble(8L * i)
              : (double) vector.getDataBuffer().getFloat(4L * i);
      case ArrowType.Decimal t ->
          new BigDecimal(new BigInteger(reversed(vector.getDataBuffer(), i)), t.getScale());
      case ArrowType.Date _ -> new BigDecimal(vector.getDataBuffer().getInt(4L * i));
      case ArrowType.Time _, ArrowType.Timestamp _ ->
          new BigDecimal(vector.getDataBuffer().getLong(8L * i));
      case ArrowType.Utf8 _ -> new String(slice(vector, i), StandardCharsets.UTF_8);
      case ArrowType.Binary _ -> HexFormat.of().withUpperCase().formatHex(slice(vector, i));
      case ArrowType.FixedSizeBinary t -> {
        byte[] bytes = new byte[t.getByteWidth()];
        vector.getDataBuffer().getBytes((long) i * bytes.length, bytes);
        yield HexFormat.of().withUpperCase().formatHex(bytes);
      }
      case ArrowType.List _ -> items(vector, i);
      case ArrowType.Map _ -> items(vector, i).stream().map(VectorValues::entry).toList();
      case ArrowType.Struct _ -> {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        vector.getChildrenFromFields().forEach(c -> values.put(c.getName(), value(c, i)));
        yield values;
      }
      default -> throw new IllegalStateException("" + vector.getField());
    };
  }

  /** A map's entry without the names of its parts, which senders choose freely. */
  static List<@Nullable Object> entry(@Nullable Object struct) {
    return new ArrayList<>(((Map<?, ?>) Objects.requireNonNull(struct)).values());
  }

  private static byte[] reversed(ArrowBuf data, int i) {
    byte[] big = new byte[16];
    for (int b = 0; b < 16; b++) {
      big[15 - b] = data.getByte(16L * i + b);
    }
    return big;
  }

  private static byte[] slice(FieldVector vector, int i) {
    int start = vector.getOffsetBuffer().getInt(4L * i);
    byte[] bytes = new byte[vector.getOffsetBuffer().getInt(4L * i + 4) - start];
    vector.getDataBuffer().getBytes(start, bytes);
    return bytes;
  }

  private static List<@Nullable Object> items(FieldVector vector, int i) {
    FieldVector child = vector.getChildrenFromFields().getFirst();
    List<@Nullable Object> items = new ArrayList<>();
    int end = vector.getOffsetBuffer().getInt(4L * i + 4);
    for (int at = vector.getOffsetBuffer().getInt(4L * i); at < end; at++) {
      items.add(value(child, at));
    }
    return items;
  }
}
