package io.wings.catalog.own;

import java.util.ArrayList;
import java.util.List;

/**
 * What a table's pointer object holds. Changes keep the put id of what they change; writing them
 * {@linkplain #stamped gives} them a new one and remembers the old.
 *
 * @param tableId random, drawn when the name was given
 * @param metadataLocation of the current metadata
 * @param previousMetadataLocation of the metadata before, empty for the first
 * @param putId of the put that wrote this; empty when none has
 * @param earlierPutIds of the puts before it, the latest first; at most {@link #MAX_EARLIER}
 * @param state whether commits are still taken
 */
record Pointer(
    String tableId,
    String metadataLocation,
    String previousMetadataLocation,
    String putId,
    List<String> earlierPutIds,
    State state) {

  /** Puts that a pointer remembers: enough for a committer to find its own after it was passed. */
  static final int MAX_EARLIER = 64;

  enum State {
    LIVE,
    /** The name is gone; data and metadata are left where they are. */
    DROPPED,
    /** The same, and whoever dropped it wants the data gone: for maintenance to do. */
    DROPPED_TO_PURGE
  }

  Pointer {
    earlierPutIds = List.copyOf(earlierPutIds);
  }

  static Pointer first(String tableId, String metadataLocation) {
    return new Pointer(tableId, metadataLocation, "", "", List.of(), State.LIVE);
  }

  /** After a commit on top of this one, which must be live: nothing revives a dropped table. */
  Pointer moved(String newMetadataLocation) {
    if (state != State.LIVE) {
      throw new IllegalStateException("a commit to pointer " + tableId + ", which is " + state);
    }
    return new Pointer(
        tableId, newMetadataLocation, metadataLocation, putId, earlierPutIds, State.LIVE);
  }

  Pointer dropped(boolean purge) {
    State dropped = purge ? State.DROPPED_TO_PURGE : State.DROPPED;
    return new Pointer(
        tableId, metadataLocation, previousMetadataLocation, putId, earlierPutIds, dropped);
  }

  Pointer stamped(String newPutId) {
    List<String> earlier = new ArrayList<>();
    if (!putId.isEmpty()) {
      earlier.add(putId);
    }
    earlier.addAll(earlierPutIds.subList(0, Math.min(earlierPutIds.size(), MAX_EARLIER - 1)));
    return new Pointer(
        tableId, metadataLocation, previousMetadataLocation, newPutId, earlier, state);
  }

  /**
   * What this pointer, read after a put, says of that put.
   *
   * @param base what the put was conditional on
   * @param put the put's id
   */
  Verdict verdict(Pointer base, String put) {
    if (putId.equals(put) || earlierPutIds.contains(put)) {
      return Verdict.LANDED;
    }
    if (putId.equals(base.putId())) {
      return Verdict.NOT_YET;
    }
    // The base was replaced by another put, so ours fails its condition for ever; but only a
    // pointer that still remembers the base shows that it wasn't ours that replaced it.
    return earlierPutIds.contains(base.putId()) ? Verdict.FAILED : Verdict.FORGOTTEN;
  }

  enum Verdict {
    /** It is, or was, the pointer. */
    LANDED,
    /** It never will be. */
    FAILED,
    /** The base is still there: it may land later. */
    NOT_YET,
    /** Too many commits came after the base to tell. */
    FORGOTTEN
  }
}
