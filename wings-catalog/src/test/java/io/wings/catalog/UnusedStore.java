package io.wings.catalog;

import io.wings.catalog.secret.Reading;
import io.wings.catalog.secret.SecretPointer;
import io.wings.catalog.secret.SecretStore;

/** A store that a test doesn't ask. */
final class UnusedStore<P extends SecretPointer> implements SecretStore<P> {
  @Override
  public Reading read(P pointer) {
    throw new AssertionError("asked for " + pointer);
  }

  @Override
  public void close() {}
}
