package io.wings.common.objectstore;

import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * The time of a store's own clock, as it stamps objects: the age of an object is this less its
 * {@link ObjectHead#modified()}, and no second clock comes into it.
 *
 * <p>It is the stamp of an object that is written for it. A write that didn't land gives an earlier
 * stamp, so that things look younger than they are, never older.
 */
public final class StoreClock {
  private final ObjectStore store;
  private final String key;
  private final Ids ids;

  /**
   * @param key of the object to write; its content is of no account
   */
  public StoreClock(ObjectStore store, String key, Ids ids) {
    this.store = store;
    this.key = key;
    this.ids = ids;
  }

  /**
   * Reads the clock: one put, one head.
   *
   * @throws StoreException when the store can't be read
   * @throws WingsException UNAVAILABLE {@code store-clock-unknown} when no put has ever landed
   */
  public Instant now() {
    PutOutcome outcome =
        store.put(key, Body.of(ids.hex().getBytes(StandardCharsets.US_ASCII)), PutCondition.any());
    return store
        .head(key)
        .map(ObjectHead::modified)
        .orElseThrow(
            () ->
                WingsException.unavailable(
                    "store-clock-unknown",
                    "%s/%s was put (%s) and isn't there"
                        .formatted(store.address(), key, outcome.getClass().getSimpleName()),
                    null));
  }
}
