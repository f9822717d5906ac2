package io.wings.catalog.rest;

/** Decides who may speak to the server. */
@FunctionalInterface
public interface Authorizer {
  /**
   * Returns for a caller that may.
   *
   * @param authorization the header's value; empty for none
   * @throws io.wings.common.error.WingsException UNAUTHENTICATED
   */
  void check(String authorization);

  /** Lets everyone in. */
  static Authorizer open() {
    return _ -> {};
  }
}
