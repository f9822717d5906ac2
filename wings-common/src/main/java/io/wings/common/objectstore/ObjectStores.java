package io.wings.common.objectstore;

import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.local.LocalStore;
import io.wings.common.objectstore.s3.S3Store;
import io.wings.common.time.Time;
import java.nio.file.Path;

/** Opens stores by address. */
public final class ObjectStores {
  private ObjectStores() {}

  /** As {@link #open(String, StoreOptions, Time, Ids)}, with the machine's clock and randomness. */
  public static ObjectStore open(String address, StoreOptions options) {
    return open(address, options, Time.system(), Ids.secure());
  }

  /**
   * Opens the store at {@code address}; it is not probed ({@link StoreProbe}).
   *
   * @param address {@code s3://bucket/prefix}, {@code file:///path}, where nothing is escaped, or
   *     an absolute path
   * @throws WingsException INVALID {@code store-address-invalid}
   * @throws StoreException when a local directory can't be made
   */
  public static ObjectStore open(String address, StoreOptions options, Time time, Ids ids) {
    ObjectStore store = bare(address, options, ids);
    if (options.simulateS3()) {
      store = new LatencyStore(store, time, ids);
    }
    if (options.faultFile().isPresent()) {
      store = new FaultyStore(store, new FaultFile(options.faultFile().get()), time);
    }
    return store;
  }

  private static ObjectStore bare(String address, StoreOptions options, Ids ids) {
    if (address.startsWith("s3://")) {
      return S3Store.open(address, options);
    }
    if (address.startsWith("file:///")) {
      return LocalStore.open(Path.of(address.substring("file://".length())), ids);
    }
    if (address.startsWith("/")) {
      return LocalStore.open(Path.of(address), ids);
    }
    throw WingsException.invalid(
        "store-address-invalid",
        "a store's address is s3://bucket/prefix, file:///path or an absolute path, got \""
            + address
            + "\"");
  }
}
