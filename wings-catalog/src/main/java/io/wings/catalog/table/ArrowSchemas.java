package io.wings.catalog.table;

import io.wings.common.error.WingsException;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Arrow and Iceberg schemas, each in the other's terms.
 *
 * <p>Arrow schemas here are those of messages, not of memory: a dictionary-encoded field has the
 * type of its values, and dictionaries are decoded before an {@link Alignment} is applied.
 */
public final class ArrowSchemas {
  /** Metadata key of an Arrow field that holds the Iceberg field id, in decimal. */
  public static final String FIELD_ID = "PARQUET:field_id";

  /** How deeply lists, maps and structs may nest. */
  public static final int MAX_DEPTH = 32;

  /** How many fields a schema may have, nested ones included. */
  public static final int MAX_FIELDS = 10_000;

  private ArrowSchemas() {}

  /**
   * The schema of a table that is created for a stream: int8, int16, uint8 and uint16 become int,
   * uint32 long, uint64 decimal(20, 0), float16 float; timestamps of seconds, milliseconds and
   * microseconds timestamp (timestamptz with a zone), of nanoseconds timestamp_ns (timestamptz_ns);
   * large, view and dictionary types their plain kind; non-nullable required.
   *
   * @throws WingsException {@code type-unsupported}, {@code schema-invalid}: union, interval,
   *     duration, run-end encoding, decimals beyond 38 digits, time of nanoseconds, duplicate or
   *     empty names, more than {@link #MAX_DEPTH} levels or {@link #MAX_FIELDS} fields
   */
  public static org.apache.iceberg.Schema toIceberg(Schema arrow) {
    return new ArrowToIceberg().convert(arrow);
  }

  /**
   * The Arrow schema of batches of this table: what a segment carries. Every field that has an
   * Iceberg id, at every level, carries it as {@link #FIELD_ID}.
   *
   * <p>int is Int32, timestamp Timestamp(us), timestamptz Timestamp(us, "UTC"), uuid
   * FixedSizeBinary(16), decimal Decimal128, time Time64(us), string Utf8, binary Binary, unknown
   * Null; nullable is optional.
   *
   * @throws WingsException {@code type-unsupported}: variant, geometry, geography
   */
  public static Schema expected(org.apache.iceberg.Schema table) {
    return new IcebergToArrow().convert(table);
  }

  /**
   * How batches of {@code incoming} become batches of {@code table}. Fields are matched by name,
   * case-sensitively, at every level.
   *
   * @throws WingsException {@code schema-mismatch}, naming the column, what was expected and what
   *     came: an extra column, a missing required column without a default, a type that can't be
   *     widened without loss
   */
  public static Alignment align(Schema incoming, org.apache.iceberg.Schema table) {
    return new Aligner().align(incoming, table);
  }
}
