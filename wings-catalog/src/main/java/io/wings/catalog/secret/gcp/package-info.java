/** Secrets in Google Secret Manager, through its own SDK, which is used nowhere else. */
@NullMarked
package io.wings.catalog.secret.gcp;

import org.jspecify.annotations.NullMarked;
