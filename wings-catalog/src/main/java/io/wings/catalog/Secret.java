package io.wings.catalog;

import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The Iceberg catalog properties that open a tenant's catalog. Its text form shows none of them;
 * {@link #redact} takes their values out of other text.
 */
final class Secret {
  /** Shorter values would make a text unreadable when taken out, and hide nothing. */
  private static final int MIN_REDACTED_CHARS = 4;

  /** Properties whose values may be shown. */
  private static final Set<String> PUBLIC =
      Set.of("type", "warehouse", "client.region", "s3.path-style-access", "io-impl");

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

  SortedSet<String> keys() {
    return new TreeSet<>(properties.keySet());
  }

  /** {@code text} with every value that isn't public replaced. */
  String redact(@Nullable String text) {
    String safe = String.valueOf(text);
    for (Map.Entry<String, String> property : properties.entrySet()) {
      String value = property.getValue();
      if (!PUBLIC.contains(property.getKey()) && value.length() >= MIN_REDACTED_CHARS) {
        safe = safe.replace(value, "***");
        for (String part : value.split(":", -1)) {
          // "client:secret" is sent in two parts.
          if (part.length() >= MIN_REDACTED_CHARS && value.length() > part.length()) {
            safe = safe.replace(part, "***");
          }
        }
      }
    }
    return safe;
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
