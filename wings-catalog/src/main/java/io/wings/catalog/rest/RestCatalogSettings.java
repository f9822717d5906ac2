package io.wings.catalog.rest;

import io.wings.common.auth.Authenticator;
import io.wings.common.config.HostPort;
import io.wings.common.grant.Access;
import io.wings.common.tls.Tls;
import java.util.Optional;

/**
 * How a REST catalog server runs.
 *
 * @param listen port 0 takes an ephemeral one
 * @param tls empty: plaintext; not closed with the server
 * @param authenticator asked for every request who makes it
 * @param access what who makes it may do
 */
public record RestCatalogSettings(
    HostPort listen, Optional<Tls> tls, Authenticator authenticator, Access access) {
  /** Open to everyone who can reach it. */
  public static RestCatalogSettings open(HostPort listen) {
    return new RestCatalogSettings(
        listen, Optional.empty(), Authenticator.Open.INSTANCE, Access.Everything.INSTANCE);
  }
}
