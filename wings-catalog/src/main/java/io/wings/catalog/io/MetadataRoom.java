package io.wings.catalog.io;

import io.wings.common.error.WingsException;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Room for metadata that a piece of work reads, where it isn't the only one: asked for before the
 * metadata is in memory. Work outside of any has as much as it needs.
 */
public final class MetadataRoom {
  /** In which it is counted; what is less counts nothing. */
  public static final int CHUNK_BYTES = 64 * 1024;

  private static final ScopedValue<IntPredicate> ROOM = ScopedValue.newInstance();

  private MetadataRoom() {}

  /**
   * Runs work on the caller's thread.
   *
   * @param room takes so many chunks for the work, or says that they aren't there
   */
  public static <T> T within(IntPredicate room, Supplier<T> work) {
    return ScopedValue.where(ROOM, room).call(work::get);
  }

  /**
   * Counts what is read next.
   *
   * @throws WingsException {@code too-much-metadata} (unavailable)
   */
  static void take(int chunks) {
    if (chunks > 0 && ROOM.isBound() && !ROOM.get().test(chunks)) {
      throw WingsException.unavailable(
          "too-much-metadata",
          "requests that are being answered hold too much tables' metadata; ask again later, and"
              + " make this table's smaller: expire snapshots, remove properties",
          null);
    }
  }
}
