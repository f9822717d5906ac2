package io.wings.cli.verify;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.StructLike;
import org.jspecify.annotations.Nullable;

/**
 * A 64-bit hash of a row's values in column order, equal for equal values whatever the width of the
 * type that carries them (a short 1 and a long 1 hash alike, so does a float and the same double).
 *
 * <p>Mixing is MurmurHash3's 64-bit finaliser (public domain, Austin Appleby).
 */
final class RowHash {
  private static final long SEED = 0x9E3779B97F4A7C15L;
  private static final long NULL = 0x6E756C6CL;

  private RowHash() {}

  static long start() {
    return SEED;
  }

  /** Folds the next column's value into {@code hash}. */
  static long fold(long hash, @Nullable Object value) {
    return mix(hash * 31 + of(value));
  }

  private static long of(@Nullable Object value) {
    return switch (value) {
      case null -> NULL;
      case Boolean b -> b ? 1 : 2;
      case Byte b -> mix(b);
      case Short s -> mix(s);
      case Integer i -> mix(i);
      case Long l -> mix(l);
      case Character c -> mix(c);
      case Float f -> mix(Double.doubleToLongBits(f));
      case Double d -> mix(Double.doubleToLongBits(d));
      case BigInteger i -> decimal(new BigDecimal(i));
      case BigDecimal d -> decimal(d);
      case LocalDate d -> mix(d.toEpochDay());
      case LocalTime t -> mix(t.toNanoOfDay());
      case LocalDateTime t -> instant(t.toInstant(ZoneOffset.UTC));
      case OffsetDateTime t -> instant(t.toInstant());
      case Instant t -> instant(t);
      case Duration d -> mix(d.toNanos());
      case UUID u -> mix(mix(u.getMostSignificantBits()) + u.getLeastSignificantBits());
      case byte[] b -> bytes(b);
      case ByteBuffer b -> {
        byte[] copy = new byte[b.remaining()];
        b.duplicate().get(copy);
        yield bytes(copy);
      }
      case CharSequence s -> bytes(s.toString().getBytes(StandardCharsets.UTF_8));
      case Map<?, ?> m -> {
        long sum = m.size();
        for (Map.Entry<?, ?> entry : m.entrySet()) {
          sum += fold(fold(SEED, entry.getKey()), entry.getValue());
        }
        yield mix(sum);
      }
      case List<?> list -> {
        long hash = list.size();
        for (Object element : list) {
          hash = fold(hash, element);
        }
        yield hash;
      }
      case StructLike struct -> {
        long hash = struct.size();
        for (int i = 0; i < struct.size(); i++) {
          hash = fold(hash, struct.get(i, Object.class));
        }
        yield hash;
      }
      default -> bytes(value.toString().getBytes(StandardCharsets.UTF_8));
    };
  }

  private static long decimal(BigDecimal value) {
    BigDecimal plain = value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
    if (plain.scale() <= 0 && plain.precision() - plain.scale() <= 18) {
      return mix(plain.longValueExact());
    }
    return mix(plain.hashCode() * 31L + bytes(plain.unscaledValue().toByteArray()));
  }

  private static long instant(Instant t) {
    return mix(mix(t.getEpochSecond()) + t.getNano());
  }

  private static long bytes(byte[] value) {
    long hash = value.length;
    for (byte b : value) {
      hash = hash * 0x100000001B3L ^ b;
    }
    return mix(hash);
  }

  private static long mix(long k) {
    long h = k;
    h ^= h >>> 33;
    h *= 0xff51afd7ed558ccdL;
    h ^= h >>> 33;
    h *= 0xc4ceb9fe1a85ec53L;
    h ^= h >>> 33;
    return h;
  }
}
