package io.wings.catalog.rest;

import io.wings.common.config.HostPort;

/**
 * How a REST catalog server runs.
 *
 * @param listen port 0 takes an ephemeral one
 * @param authorizer asked for every request
 */
public record RestCatalogSettings(HostPort listen, Authorizer authorizer) {
  /** Open to everyone who can reach it. */
  public static RestCatalogSettings open(HostPort listen) {
    return new RestCatalogSettings(listen, Authorizer.open());
  }
}
