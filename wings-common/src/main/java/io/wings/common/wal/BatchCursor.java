package io.wings.common.wal;

import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Walks over a segment's batches. Holds one decoded batch and one bounded range of the object at a
 * time.
 */
public interface BatchCursor extends AutoCloseable {
  /**
   * Decodes the next batch, releasing the previous one.
   *
   * @return false when there is none
   */
  boolean next();

  /** The current batch's entry. */
  BatchEntry entry();

  /** Index of {@link #entry()} in {@link SegmentFooter#entries()}: its place in the log. */
  int index();

  /**
   * The current batch, decompressed, with a field id on every field; the cursor's own, valid until
   * the next call. Consecutive batches of one schema use one root.
   */
  VectorSchemaRoot root();

  @Override
  void close();
}
