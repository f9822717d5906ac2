package io.wings.common.auth;

import io.grpc.Metadata;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a client shows.
 *
 * @param principal that the client claims to be; null where only the token says
 * @param token the secret
 */
public record Credentials(@Nullable String principal, String token) {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  /** Where clients of Flight's older handshake put the token. */
  private static final Metadata.Key<byte[]> HANDSHAKE_TOKEN =
      Metadata.Key.of("auth-token-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private static final String BEARER = "bearer ";
  private static final String BASIC = "basic ";

  /**
   * The credentials of a call, or empty where it shows none.
   *
   * @throws WingsException {@code unauthenticated} for headers that can't be read or contradict
   */
  static Optional<Credentials> of(Metadata headers) {
    Iterable<String> values = headers.getAll(AUTHORIZATION);
    byte[] handshakeToken = headers.get(HANDSHAKE_TOKEN);
    if (values == null) {
      return Optional.ofNullable(handshakeToken)
          .map(token -> new Credentials(null, new String(token, StandardCharsets.UTF_8)));
    }
    return of(values);
  }

  /**
   * The credentials that headers show, or empty where there are none.
   *
   * @throws WingsException {@code unauthenticated} for headers that can't be read or contradict
   */
  static Optional<Credentials> of(Iterable<String> authorization) {
    String only = null;
    for (String value : authorization) {
      if (only != null && !only.equals(value)) {
        throw unauthenticated("several authorization headers; send one");
      }
      only = value;
    }
    return Optional.ofNullable(only).map(Credentials::parse);
  }

  /**
   * What an authorization header says.
   *
   * @throws WingsException {@code unauthenticated} for one that can't be read
   */
  public static Credentials parse(String header) {
    String lower = header.toLowerCase(Locale.ROOT);
    if (lower.startsWith(BEARER)) {
      return new Credentials(null, header.substring(BEARER.length()).strip());
    }
    if (lower.startsWith(BASIC)) {
      return basic(header.substring(BASIC.length()).strip());
    }
    throw unauthenticated("an authorization header is 'Bearer TOKEN' or 'Basic BASE64'");
  }

  private static Credentials basic(String base64) {
    String pair;
    try {
      byte[] decoded = Base64.getDecoder().decode(base64);
      pair = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(decoded)).toString();
    } catch (IllegalArgumentException | CharacterCodingException e) {
      throw unauthenticated("the basic authorization header is no base64 of principal:token");
    }
    int colon = pair.indexOf(':');
    if (colon < 0) {
      throw unauthenticated("the basic authorization header is no base64 of principal:token");
    }
    return new Credentials(pair.substring(0, colon), pair.substring(colon + 1));
  }

  /** What clients send that were given no token: nothing after the scheme, or Python's None. */
  boolean saysNothing() {
    return principal == null && (token.isEmpty() || token.equals("None"));
  }

  /** The header, by which a handshake answers, that makes stock clients send {@code token}. */
  public static Metadata bearer(String token) {
    Metadata headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + token);
    return headers;
  }

  static WingsException unauthenticated(String detail) {
    return new WingsException(ErrorKind.UNAUTHENTICATED, "unauthenticated", detail);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "Credentials[principal=" + principal + "]";
  }
}
