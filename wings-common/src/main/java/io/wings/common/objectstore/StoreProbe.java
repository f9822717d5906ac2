package io.wings.common.objectstore;

import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.time.Time;

/** Finds out at start whether a store honours conditions, in sequence and under a race. */
public final class StoreProbe {
  /** Where the probe's objects are; it removes them. */
  public static final String PREFIX = "probe/";

  private StoreProbe() {}

  /**
   * Returns when the store is fit for use.
   *
   * @throws io.wings.common.error.WingsException INVALID {@code store-unsafe}, naming the store and
   *     the broken condition; UNAVAILABLE {@code store-unreachable}
   */
  public static void check(ObjectStore store, Time time, Ids ids, Threads threads) {}
}
