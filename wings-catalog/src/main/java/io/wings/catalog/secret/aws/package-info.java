/** Secrets in AWS Secrets Manager, through its own SDK. */
@NullMarked
package io.wings.catalog.secret.aws;

import org.jspecify.annotations.NullMarked;
