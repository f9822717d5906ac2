package io.wings.common.wal;

import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Turns validated vectors into what a segment stores. Stateless and safe to share between threads.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class BatchEncoder {
  /** Arrow field metadata that carries the Iceberg field id, as Parquet readers know it. */
  public static final String FIELD_ID = "PARQUET:field_id";

  /**
   * The encapsulated schema message.
   *
   * @throws io.wings.common.error.WingsException {@code wal-schema-invalid} when a field (nested
   *     ones included) has no field id or one that another has, or is dictionary-encoded
   */
  public EncodedSchema encode(Schema schema) {
    throw new UnsupportedOperationException(schema.toString());
  }

  /**
   * Compresses the vectors of {@code root}, which stays the caller's and is not changed.
   *
   * @param schema of {@code root}, encoded once per stream
   */
  public EncodedBatch encode(EncodedSchema schema, VectorSchemaRoot root) {
    throw new UnsupportedOperationException(schema.toString() + root);
  }
}
