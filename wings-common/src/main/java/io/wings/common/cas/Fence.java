package io.wings.common.cas;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The part of a fenced object's body that fencing owns.
 *
 * @param epoch of the holder who wrote it, at least 1
 * @param putId of the put that wrote it
 * @param earlier the last put id of each of up to {@value #MAX_EARLIER} epochs before {@code
 *     epoch}: by it a deposed holder learns whether its last put had landed
 */
public record Fence(long epoch, String putId, SortedMap<Long, String> earlier) {
  /** With the epoch itself, 16. */
  public static final int MAX_EARLIER = 15;

  public Fence {
    if (epoch < 1 || earlier.size() > MAX_EARLIER) {
      throw new IllegalArgumentException("epoch " + epoch + " after " + earlier.keySet());
    }
    if (!earlier.isEmpty() && earlier.lastKey() >= epoch) {
      throw new IllegalArgumentException("epoch " + epoch + " after " + earlier.lastKey());
    }
    earlier = Collections.unmodifiableSortedMap(new TreeMap<>(earlier));
  }

  /** Of the first epoch. */
  static Fence first(String putId) {
    return new Fence(1, putId, Collections.emptySortedMap());
  }

  /** Of the same holder's next put. */
  Fence again(String nextPutId) {
    return new Fence(epoch, nextPutId, earlier);
  }

  /** Of the first put of the next holder. */
  Fence takenOver(String nextPutId) {
    TreeMap<Long, String> before = new TreeMap<>(earlier);
    before.put(epoch, putId);
    if (before.size() > MAX_EARLIER) {
      before.pollFirstEntry();
    }
    return new Fence(epoch + 1, nextPutId, before);
  }

  /** Whether {@code id} is known to be the last put of {@code ofEpoch} that landed. */
  boolean shows(long ofEpoch, String id) {
    return ofEpoch == epoch ? id.equals(putId) : id.equals(earlier.get(ofEpoch));
  }
}
