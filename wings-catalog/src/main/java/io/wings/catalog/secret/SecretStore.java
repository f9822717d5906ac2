package io.wings.catalog.secret;

/**
 * Where secrets of one kind of pointer are kept. Connects on first use, with the process's own
 * credentials. Safe for several threads.
 */
public interface SecretStore<P extends SecretPointer> extends AutoCloseable {
  /** Reads what is there now; bounded in time, and never from a cache. */
  Reading read(P pointer);

  @Override
  void close();
}
