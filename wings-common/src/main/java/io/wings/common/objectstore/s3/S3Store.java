package io.wings.common.objectstore.s3;

import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreOptions;

/** A bucket, or a prefix in one. */
public final class S3Store {
  private S3Store() {}

  /** Opens {@code s3://bucket/prefix}. */
  @SuppressWarnings("DoNotCallSuggester")
  public static ObjectStore open(String address, StoreOptions options) {
    throw WingsException.invalid("store-address-invalid", address + " with " + options);
  }
}
