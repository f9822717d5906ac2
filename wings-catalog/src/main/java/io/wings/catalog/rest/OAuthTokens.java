package io.wings.catalog.rest;

import io.wings.common.auth.Authenticator;
import io.wings.common.auth.Credentials;
import io.wings.common.auth.Identity;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.iceberg.rest.responses.OAuthTokenResponse;

/**
 * The protocol's own endpoint of tokens, which it advises against and clients with a {@code
 * credential} ask all the same: principal and token, shown as a client's id and secret, bring back
 * that token. Nothing is issued.
 */
final class OAuthTokens {
  static final String PATH = "/v1/oauth/tokens";

  private static final String GRANT = "client_credentials";
  private static final String ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

  private final Authenticator authenticator;

  OAuthTokens(Authenticator authenticator) {
    this.authenticator = authenticator;
  }

  /**
   * The answer to a form.
   *
   * @param refused is told why, where nobody is let in by it
   * @throws WingsException when nobody can tell whether the token is good
   */
  Answer answer(Map<String, String> form, Consumer<String> refused) {
    if (!GRANT.equals(form.get("grant_type"))) {
      return error(
          400,
          "unsupported_grant_type",
          "only " + GRANT + ": get tokens from the issuer that the cluster believes");
    }
    String secret = form.getOrDefault("client_secret", "");
    String id = form.getOrDefault("client_id", "");
    try {
      Identity _ = authenticator.authenticate(new Credentials(id.isEmpty() ? null : id, secret));
    } catch (WingsException e) {
      refused.accept(String.valueOf(e.getMessage()));
      if (e.kind() == ErrorKind.UNAUTHENTICATED) {
        return error(401, "invalid_client", String.valueOf(e.getMessage()));
      }
      throw e;
    }
    return Answer.ok(
            OAuthTokenResponse.builder()
                .withToken(secret)
                .withTokenType("bearer")
                .withIssuedTokenType(ACCESS_TOKEN)
                .build())
        .withHeader("Cache-Control", "no-store");
  }

  /** As RFC 6749 has it. */
  private static Answer error(int status, String code, String description) {
    return new Answer(
        status,
        RestJson.write(Map.of("error", code, "error_description", description)),
        Map.of("Cache-Control", "no-store"));
  }
}
