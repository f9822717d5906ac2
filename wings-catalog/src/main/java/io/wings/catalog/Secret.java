package io.wings.catalog;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The Iceberg catalog properties that open a tenant's catalog. Its text form shows none of them;
 * {@link #redact} takes their values out of other text.
 */
final class Secret {
  /** Iceberg's own name for when temporary credentials expire, in milliseconds of the epoch. */
  static final String EXPIRES_AT = "s3.session-token-expires-at-ms";

  static final Pattern MILLIS = Pattern.compile("[0-9]{1,15}");

  /** Shorter values would make a text unreadable when taken out, and hide nothing. */
  private static final int MIN_REDACTED_CHARS = 4;

  /**
   * Properties whose values may be shown, unless they look as if they held more than they should.
   */
  private static final Set<String> PUBLIC =
      Set.of(
          "type",
          "warehouse",
          "uri",
          "client.region",
          "s3.endpoint",
          "s3.path-style-access",
          "oauth2-server-uri",
          "rest.auth.type",
          EXPIRES_AT,
          "io-impl");

  private final Map<String, String> properties;

  Secret(Map<String, String> properties) {
    this.properties = Map.copyOf(properties);
  }

  Map<String, String> properties() {
    return properties;
  }

  @Nullable String get(String key) {
    return properties.get(key);
  }

  /**
   * When the credentials in it expire: {@code s3.session-token-expires-at-ms}. Empty: never, or it
   * doesn't say.
   */
  Optional<Instant> expiresAt() {
    String millis = properties.get(EXPIRES_AT);
    return millis != null && MILLIS.matcher(millis).matches()
        ? Optional.of(Instant.ofEpochMilli(Long.parseLong(millis)))
        : Optional.empty();
  }

  SortedSet<String> keys() {
    return new TreeSet<>(properties.keySet());
  }

  /** {@code text} with every value that isn't public replaced, in the forms that are sent. */
  String redact(@Nullable String text) {
    String safe = String.valueOf(text);
    for (String hidden : hidden()) {
      safe = safe.replace(hidden, "***");
    }
    return safe;
  }

  /** Longer ones first, so that none leaves a part of another. */
  private List<String> hidden() {
    Set<String> hidden = new HashSet<>();
    for (Map.Entry<String, String> property : properties.entrySet()) {
      String value = property.getValue();
      boolean holdsMore = value.indexOf('@') >= 0 || value.indexOf('=') >= 0;
      if (holdsMore || !PUBLIC.contains(property.getKey())) {
        hidden.add(value);
        // "client:secret" is sent in two parts.
        hidden.addAll(List.of(value.split(":", -1)));
      }
    }
    hidden.add(properties.get("rest.auth.basic.username") + ":" + get("rest.auth.basic.password"));
    Set<String> sent = new HashSet<>(hidden);
    for (String plain : hidden) {
      sent.add(URLEncoder.encode(plain, StandardCharsets.UTF_8));
      byte[] bytes = plain.getBytes(StandardCharsets.UTF_8);
      sent.add(Base64.getEncoder().encodeToString(bytes));
    }
    return sent.stream()
        .filter(value -> value.length() >= MIN_REDACTED_CHARS)
        .sorted(Comparator.comparingInt(String::length).reversed())
        .toList();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Secret secret && secret.properties.equals(properties);
  }

  @Override
  public int hashCode() {
    return properties.hashCode();
  }

  @Override
  public String toString() {
    return "Secret[***]";
  }
}
