package io.wings.worker.engine;

import java.nio.file.Path;

/**
 * The limits of one engine.
 *
 * @param directory local scratch space of this engine alone; whatever is in it is removed when the
 *     engine opens
 * @param memoryBytes what DuckDB may use before it spills, at least 64 MiB; the engine's own Arrow
 *     buffers (about one batch and its converted copy) come on top
 * @param diskBytes about how much scratch space a call may use, at least 64 MiB; a larger input is
 *     written in several runs
 * @param threads of DuckDB; 1 scales best where there is one engine per worker thread
 * @param uploads how many finished files may be uploading at once
 */
public record EngineSettings(
    Path directory, long memoryBytes, long diskBytes, int threads, int uploads) {
  /** Below this DuckDB can't sort. */
  public static final long MIN_BYTES = 64L << 20;

  private static final int MAX_THREADS = 256;

  public EngineSettings {
    if (memoryBytes < MIN_BYTES || diskBytes < MIN_BYTES) {
      throw new IllegalArgumentException(
          "memory and disk must be at least " + MIN_BYTES + " bytes");
    }
    if (threads < 1 || threads > MAX_THREADS || uploads < 1 || uploads > MAX_THREADS) {
      throw new IllegalArgumentException("threads and uploads are 1 to " + MAX_THREADS);
    }
  }
}
