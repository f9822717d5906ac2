package io.wings.common.cluster;

import io.wings.common.error.WingsException;
import java.util.regex.Pattern;

/** The name of a tenant: {@code [a-z0-9][a-z0-9_-]{0,62}}. */
public record CatalogName(String value) implements Comparable<CatalogName> {
  private static final Pattern VALID = Pattern.compile("[a-z0-9][a-z0-9_-]{0,62}");

  public CatalogName {
    if (!VALID.matcher(value).matches()) {
      throw WingsException.invalid(
          "catalog-name-invalid",
          "catalog names match " + VALID.pattern() + ", got \"" + Printable.of(value) + "\"");
    }
  }

  @Override
  public int compareTo(CatalogName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
