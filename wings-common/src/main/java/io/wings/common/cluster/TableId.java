package io.wings.common.cluster;

import java.util.UUID;

/** A table for as long as it lives: the uuid tells it from a recreated namesake. */
public record TableId(CatalogName catalog, UUID uuid) {
  @Override
  public String toString() {
    return catalog + "/" + uuid;
  }
}
