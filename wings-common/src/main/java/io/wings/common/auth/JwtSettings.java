package io.wings.common.auth;

import io.wings.common.error.WingsException;
import java.net.URI;
import java.util.Set;

/**
 * Which JSON Web Tokens are believed.
 *
 * @param keys where the issuer's public keys are: {@code https://…} or {@code file:///…}, a JSON
 *     Web Key Set; {@code http://…} only from this machine itself
 * @param issuer that a token's {@code iss} has to be
 * @param audiences of which a token's {@code aud} has to have one
 * @param principalClaim the claim that names the principal
 * @param groupsClaim the claim that lists groups; a token may lack it
 */
public record JwtSettings(
    URI keys, String issuer, Set<String> audiences, String principalClaim, String groupsClaim) {
  public static final String PRINCIPAL_CLAIM = "sub";
  public static final String GROUPS_CLAIM = "groups";

  /** Whoever is on the way to keys that come in plaintext can put his own there. */
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  public JwtSettings {
    audiences = Set.copyOf(audiences);
    if (!isSafe(keys)) {
      throw WingsException.invalid(
          "jwt-invalid", "the keys of tokens are at https://… or file:///…, got " + keys);
    }
    if (issuer.isBlank() || audiences.isEmpty()) {
      throw WingsException.invalid(
          "jwt-invalid",
          "tokens are believed of one issuer and for one audience at least: name both");
    }
  }

  private static boolean isSafe(URI keys) {
    return switch (keys.getScheme()) {
      case "https", "file" -> true;
      case "http" -> keys.getHost() != null && LOOPBACK.contains(keys.getHost());
      case null, default -> false;
    };
  }
}
