package io.wings.cli.role;

import io.wings.cli.StoreArguments;
import io.wings.common.auth.Authenticator;
import io.wings.common.auth.JwtSettings;
import io.wings.common.auth.JwtTokens;
import io.wings.common.auth.TokenFile;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.grant.Access;
import io.wings.common.grant.GrantsObject;
import io.wings.common.grant.GrantsWatch;
import io.wings.common.id.Ids;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.time.Time;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Who clients are, and what they may do. */
public final class ClientAccess {
  private static final Logger log = LoggerFactory.getLogger(ClientAccess.class);

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--tokens-file",
      paramLabel = "FILE",
      description =
          "Static tokens: JSON lines {\"principal\": …, \"sha256\": hex of the token}"
              + " (WINGS_TOKENS_FILE).")
  private @Nullable Path tokens;

  @Option(
      names = "--jwt-keys",
      paramLabel = "URI",
      description =
          "Signed tokens (JWT): the issuer's JSON Web Key Set, https://… or file:///…"
              + " (WINGS_JWT_KEYS).")
  private @Nullable URI keys;

  @Option(
      names = "--jwt-issuer",
      paramLabel = "TEXT",
      description = "Whose tokens are believed, their claim iss (WINGS_JWT_ISSUER).")
  private @Nullable String issuer;

  @Option(
      names = "--jwt-audience",
      split = ",",
      defaultValue = "wings",
      paramLabel = "TEXT",
      description =
          "For whom they have to be, their claim aud; repeatable (default: ${DEFAULT-VALUE};"
              + " WINGS_JWT_AUDIENCE).")
  private List<String> audiences = List.of();

  @Option(
      names = "--jwt-principal-claim",
      defaultValue = "sub",
      paramLabel = "CLAIM",
      description =
          "The claim that names the principal (default: ${DEFAULT-VALUE};"
              + " WINGS_JWT_PRINCIPAL_CLAIM).")
  private String principalClaim = JwtSettings.PRINCIPAL_CLAIM;

  @Option(
      names = "--jwt-groups-claim",
      defaultValue = "groups",
      paramLabel = "CLAIM",
      description =
          "The claim that lists the principal's groups (default: ${DEFAULT-VALUE};"
              + " WINGS_JWT_GROUPS_CLAIM).")
  private String groupsClaim = JwtSettings.GROUPS_CLAIM;

  @Option(names = "--open", description = "Let everybody in, as the principal anonymous.")
  private boolean open;

  @Option(
      names = "--no-grants",
      description =
          "Whoever is let in may do everything (default: what `wings grant` has written to the"
              + " cluster's --store).")
  private boolean noGrants;

  /**
   * Refuses to let everybody in and to ask who they are at once, and neither.
   *
   * @param certificates whether they may show certificates
   * @throws WingsException {@code authentication-unclear}
   */
  void requireClear(boolean certificates) {
    List<String> known = new ArrayList<>();
    if (tokens != null) {
      known.add(RoleSettings.origin(spec, "tokens-file"));
    }
    if (keys != null) {
      known.add(RoleSettings.origin(spec, "jwt-keys"));
    }
    if (certificates) {
      known.add(RoleSettings.origin(spec, "tls-client-ca"));
    }
    if (open && !known.isEmpty()) {
      throw WingsException.invalid(
          "authentication-unclear",
          "%s lets everybody in, %s says who clients are: take one of them away"
              .formatted(RoleSettings.origin(spec, "open"), String.join(" and ", known)));
    }
    if (!open && known.isEmpty()) {
      throw WingsException.invalid(
          "authentication-unclear",
          "say --tokens-file FILE, --jwt-keys URI or --tls-client-ca FILE, or --open to let"
              + " everybody in");
    }
  }

  /** Warns of tokens that cross the network in plaintext, unless something before it does TLS. */
  void warnOfPlaintext(boolean tls) {
    if (!tls && (tokens != null || keys != null)) {
      log.warn(
          "clients show their tokens in plaintext: say --tls-cert and --tls-key, unless a proxy in"
              + " front of this port does TLS");
    }
  }

  /**
   * Who clients are.
   *
   * @param certificates whether they may show certificates, too
   * @param lifecycle of who watches its files
   * @throws WingsException {@code authentication-unclear}, {@code tokens-invalid}, {@code
   *     jwt-invalid}
   */
  Authenticator authenticator(
      boolean certificates, Lifecycle lifecycle, Time time, Threads threads) {
    requireClear(certificates);
    Authenticator made = made(time);
    made.watch(lifecycle, threads);
    return made;
  }

  private Authenticator made(Time time) {
    if (open) {
      return Authenticator.Open.INSTANCE;
    }
    if (keys == null) {
      return tokens == null ? Authenticator.NoTokens.INSTANCE : new TokenFile(tokens, time);
    }
    if (issuer == null) {
      throw WingsException.invalid(
          "jwt-invalid", "--jwt-keys needs --jwt-issuer: whose tokens are believed");
    }
    JwtTokens signed =
        new JwtTokens(
            new JwtSettings(keys, issuer, Set.copyOf(audiences), principalClaim, groupsClaim),
            time);
    return tokens == null ? signed : new Authenticator.Either(new TokenFile(tokens, time), signed);
  }

  /**
   * What they may do.
   *
   * @param store where the grants are
   * @throws WingsException {@code store-missing}, or what reading the grants throws
   */
  Access access(StoreArguments store, Lifecycle lifecycle, Time time, Ids ids, Threads threads) {
    return everything()
        ? Access.Everything.INSTANCE
        : granted(lifecycle.add("store", store.open()), lifecycle, time, ids, threads);
  }

  /** The same, where the store is open already. */
  Access access(ObjectStore store, Lifecycle lifecycle, Time time, Ids ids, Threads threads) {
    return everything()
        ? Access.Everything.INSTANCE
        : granted(store, lifecycle, time, ids, threads);
  }

  private boolean everything() {
    return open || noGrants;
  }

  private static Access granted(
      ObjectStore store, Lifecycle lifecycle, Time time, Ids ids, Threads threads) {
    GrantsObject object = new GrantsObject(store, time, ids);
    return new Access.Granted(lifecycle.add("grants", new GrantsWatch(object, time, threads)));
  }
}
