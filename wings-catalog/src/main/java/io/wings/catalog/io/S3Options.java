package io.wings.catalog.io;

import io.wings.common.error.WingsException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/**
 * How a tenant reaches its objects. Its text form shows no secret.
 *
 * @param key empty: none was given, and nothing can be read
 * @param region of AWS
 * @param endpoint of an S3-compatible server; empty: AWS
 * @param pathStyle whether the bucket is in the path rather than in the host name
 */
public record S3Options(
    Optional<Key> key, Optional<String> region, Optional<URI> endpoint, boolean pathStyle) {
  public static final String ACCESS_KEY_ID = "s3.access-key-id";
  public static final String SECRET_ACCESS_KEY = "s3.secret-access-key";
  public static final String SESSION_TOKEN = "s3.session-token";
  public static final String REGION = "client.region";
  public static final String ENDPOINT = "s3.endpoint";
  public static final String PATH_STYLE = "s3.path-style-access";

  /** S3-compatible servers mostly don't mind which. */
  private static final String COMPATIBLE_REGION = "us-east-1";

  /** An access key. */
  public record Key(String accessKeyId, String secretAccessKey, Optional<String> sessionToken) {
    @Override
    public String toString() {
      return "Key[***]";
    }
  }

  /**
   * The options among a catalog's properties.
   *
   * @param properties of an Iceberg catalog; others than these are passed over
   */
  public static S3Options of(Map<String, String> properties) {
    return new S3Options(
        key(properties),
        Optional.ofNullable(properties.get(REGION)),
        Optional.ofNullable(properties.get(ENDPOINT)).map(S3Options::uri),
        Boolean.parseBoolean(properties.get(PATH_STYLE)));
  }

  /** With the key that a catalog vends for some of its objects; nothing else changes. */
  S3Options vended(Map<String, String> config) {
    Optional<Key> vended = key(config);
    return new S3Options(vended.isPresent() ? vended : key, region, endpoint, pathStyle);
  }

  private static Optional<Key> key(Map<String, String> properties) {
    String id = properties.get(ACCESS_KEY_ID);
    String secret = properties.get(SECRET_ACCESS_KEY);
    if (id == null && secret == null) {
      return Optional.empty();
    }
    if (id == null || secret == null) {
      throw WingsException.invalid(
          "s3-credentials-incomplete",
          ACCESS_KEY_ID + " and " + SECRET_ACCESS_KEY + " come together, got one of them");
    }
    return Optional.of(new Key(id, secret, Optional.ofNullable(properties.get(SESSION_TOKEN))));
  }

  private static URI uri(String text) {
    URI uri;
    try {
      uri = URI.create(text);
    } catch (IllegalArgumentException _) {
      throw WingsException.invalid("s3-endpoint-invalid", "expected a URL in " + ENDPOINT);
    }
    if (uri.getHost() == null || uri.getUserInfo() != null) {
      throw WingsException.invalid(
          "s3-endpoint-invalid", "expected http(s)://host:port without a user in " + ENDPOINT);
    }
    return uri;
  }

  /** The key, or an error: a tenant never works with the process's own. */
  public Key requiredKey() {
    return key.orElseThrow(
        () ->
            WingsException.invalid(
                "s3-credentials-missing",
                "neither the secret nor its catalog gives "
                    + ACCESS_KEY_ID
                    + " and "
                    + SECRET_ACCESS_KEY
                    + "; a tenant never uses the process's own credentials"));
  }

  /** The region, or an error: it isn't looked up in the process's environment either. */
  public String requiredRegion() {
    return region.orElseGet(
        () -> {
          if (endpoint.isEmpty()) {
            throw WingsException.invalid(
                "s3-region-missing", "expected " + REGION + " in the secret");
          }
          return COMPATIBLE_REGION;
        });
  }
}
