package io.wings.catalog;

import io.wings.catalog.secret.SecretPointer;
import io.wings.common.cluster.CatalogName;

/** A registered catalog. */
public record Tenant(CatalogName name, SecretPointer secret) {}
