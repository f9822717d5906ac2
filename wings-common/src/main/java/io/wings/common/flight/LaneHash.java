package io.wings.common.flight;

import com.google.common.hash.Hashing;
import io.wings.common.cluster.LaneId;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Which lane of a table a stream belongs to. Part of the wire contract: two load balancers that
 * disagreed would give one producer two lanes.
 */
public final class LaneHash {
  private LaneHash() {}

  /** The lane of a named producer, by {@code principal + "\0" + producer}. */
  public static int named(String principal, String producer, int lanes) {
    return lane(principal + "\0" + producer, lanes);
  }

  /** The lane of an unnamed stream, by its partition or, where it gives none, its drawn name. */
  public static int unnamed(String partitionOrName, int lanes) {
    return lane(partitionOrName, lanes);
  }

  /**
   * The lane of any stream.
   *
   * @param named whether the client named the producer
   * @param partition of an unnamed stream
   */
  public static int of(
      String principal, String producer, boolean named, @Nullable String partition, int lanes) {
    return named
        ? named(principal, producer, lanes)
        : unnamed(partition != null ? partition : producer, lanes);
  }

  private static int lane(String text, int lanes) {
    if (lanes < 1 || lanes > LaneId.MAX_LANES) {
      throw new IllegalArgumentException("lanes are 1 to " + LaneId.MAX_LANES + ", got " + lanes);
    }
    return (hash(text) & Integer.MAX_VALUE) % lanes;
  }

  /** Iceberg's murmur3_32 (x86 variant, seed 0) of the text's UTF-8. */
  static int hash(String text) {
    return Hashing.murmur3_32_fixed().hashString(text, StandardCharsets.UTF_8).asInt();
  }
}
