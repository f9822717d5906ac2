package io.wings.worker.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.ByteFunctionHelpers;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the distinct values of one partition field. A transform is a function of the value, so
 * the code of a value seen lately is taken from a small cache instead of transforming it again.
 */
abstract class PartitionCodes {
  private static final int CACHED = 1024;
  private static final int SPREAD = 0x9E3779B9;

  private final TransformedField field;

  /** Ordered, not hashed: whoever sends the values could choose bytes that all have one hash. */
  private final Map<@Nullable Object, Integer> codes = new TreeMap<>(PartitionCodes::compare);

  private final List<@Nullable Object> values = new ArrayList<>();

  private PartitionCodes(TransformedField field) {
    this.field = field;
  }

  static PartitionCodes of(TransformedField field) {
    return switch (field.vector()) {
      case BaseFixedWidthVector fixed
          when fixed.getTypeWidth() == Integer.BYTES || fixed.getTypeWidth() == Long.BYTES ->
          new OfNumbers(field, fixed);
      case BaseVariableWidthVector variable -> new OfBytes(field, variable);
      case null -> new OfAny(field);
      case FieldVector _ -> new OfAny(field);
    };
  }

  /** Of values of one type. */
  @SuppressWarnings("unchecked")
  private static int compare(@Nullable Object one, @Nullable Object other) {
    if (one == null || other == null) {
      return Boolean.compare(one != null, other != null);
    }
    return ((Comparable<Object>) one).compareTo(other);
  }

  /** The code of the field in that row of the vectors' current batch. */
  abstract int code(int row);

  /** The value, transformed, that has the code. */
  @Nullable Object value(int code) {
    return values.get(code);
  }

  final boolean isNull(int row) {
    return field.isNull(row);
  }

  final int transform(int row) {
    return codeOf(field.partition(row));
  }

  private int codeOf(@Nullable Object value) {
    Integer code = codes.get(value);
    if (code == null) {
      code = values.size();
      codes.put(value, code);
      values.add(value);
    }
    return code;
  }

  private static final class OfAny extends PartitionCodes {
    OfAny(TransformedField field) {
      super(field);
    }

    @Override
    int code(int row) {
      return transform(row);
    }
  }

  /** Values of four or eight bytes, told apart by their bits. */
  private static final class OfNumbers extends PartitionCodes {
    private static final int NONE = -1;

    private final BaseFixedWidthVector vector;
    private final boolean wide;
    private final boolean timeUnit;
    private final long[] cachedBits = new long[CACHED];
    private final int[] cachedCodes = new int[CACHED];
    private long from;
    private long to;
    private int codeInRange = NONE;

    OfNumbers(TransformedField field, BaseFixedWidthVector vector) {
      super(field);
      this.vector = vector;
      this.wide = vector.getTypeWidth() == Long.BYTES;
      this.timeUnit = field.isTimeUnit();
      Arrays.fill(cachedCodes, NONE);
    }

    @Override
    int code(int row) {
      if (isNull(row)) {
        return transform(row);
      }
      ArrowBuf data = vector.getDataBuffer();
      long bits =
          wide ? data.getLong((long) row * Long.BYTES) : data.getInt((long) row * Integer.BYTES);
      return timeUnit ? byRange(bits, row) : byBits(bits, row);
    }

    /** Times between two of one day, say, are of that day. */
    private int byRange(long bits, int row) {
      if (codeInRange != NONE && bits >= from && bits <= to) {
        return codeInRange;
      }
      int code = byBits(bits, row);
      boolean same = code == codeInRange;
      from = same ? Math.min(from, bits) : bits;
      to = same ? Math.max(to, bits) : bits;
      codeInRange = code;
      return code;
    }

    private int byBits(long bits, int row) {
      int slot = ((Long.hashCode(bits) * SPREAD) >>> 7) & (CACHED - 1);
      if (cachedCodes[slot] == NONE || cachedBits[slot] != bits) {
        cachedBits[slot] = bits;
        cachedCodes[slot] = transform(row);
      }
      return cachedCodes[slot];
    }
  }

  /** Text and binary. */
  private static final class OfBytes extends PartitionCodes {
    /** Longer values aren't worth keeping. */
    private static final int MAX_CACHED_BYTES = 256;

    private final BaseVariableWidthVector vector;
    private final byte[] @Nullable [] cachedBytes = new byte[CACHED][];
    private final int[] cachedCodes = new int[CACHED];

    OfBytes(TransformedField field, BaseVariableWidthVector vector) {
      super(field);
      this.vector = vector;
    }

    @Override
    int code(int row) {
      if (isNull(row)) {
        return transform(row);
      }
      ArrowBuf data = vector.getDataBuffer();
      int start = vector.getStartOffset(row);
      int end = start + vector.getValueLength(row);
      if (end - start > MAX_CACHED_BYTES) {
        return transform(row);
      }
      int slot = ((ByteFunctionHelpers.hash(data, start, end) * SPREAD) >>> 7) & (CACHED - 1);
      byte[] cached = cachedBytes[slot];
      if (cached == null
          || cached.length != end - start
          || ByteFunctionHelpers.compare(data, start, end, cached, 0, cached.length) != 0) {
        cachedBytes[slot] = vector.get(row);
        cachedCodes[slot] = transform(row);
      }
      return cachedCodes[slot];
    }
  }
}
