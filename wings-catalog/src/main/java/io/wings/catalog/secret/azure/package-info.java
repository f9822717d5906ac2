/** Secrets in Azure Key Vault, through its own SDK, which is used nowhere else. */
@NullMarked
package io.wings.catalog.secret.azure;

import org.jspecify.annotations.NullMarked;
