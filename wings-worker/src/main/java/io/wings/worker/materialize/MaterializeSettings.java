package io.wings.worker.materialize;

/**
 * The limits of a pass.
 *
 * @param passBytes segments of a pass together, as stored; the first is taken whatever its size
 * @param passSegments segments of a pass
 * @param passes passes of one table in a row while each fills its limits; then other tables get
 *     their turn
 * @param prefetchBytes segments read ahead, as stored; one is read whatever its size
 * @param fetches segments that are read at once
 * @param decodeBytes decoded batches in memory, the engine's not counted
 */
public record MaterializeSettings(
    long passBytes,
    int passSegments,
    int passes,
    long prefetchBytes,
    int fetches,
    long decodeBytes) {
  public static final MaterializeSettings DEFAULT =
      new MaterializeSettings(256L << 20, 4096, 16, 32L << 20, 4, 256L << 20);

  public MaterializeSettings {
    if (passBytes < 1
        || passSegments < 1
        || passes < 1
        || prefetchBytes < 1
        || fetches < 1
        || decodeBytes < 1) {
      throw new IllegalArgumentException("limits of a pass must be positive");
    }
  }
}
