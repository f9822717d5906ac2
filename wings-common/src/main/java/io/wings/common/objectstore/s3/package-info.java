/**
 * S3 and servers that speak its protocol, by the AWS SDK.
 *
 * <p>Invariant: a put is sent once; no retry of the SDK or of the HTTP client repeats it.
 */
@NullMarked
package io.wings.common.objectstore.s3;

import org.jspecify.annotations.NullMarked;
