package io.wings.common.objectstore.s3;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectKeys;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code s3://bucket/prefix}.
 *
 * @param prefix without a slash at either end; empty: the whole bucket
 */
record S3Address(String bucket, String prefix) {
  private static final Pattern SHAPE =
      Pattern.compile("s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/+(.*?))?/*");

  static S3Address parse(String address) {
    Matcher parts = SHAPE.matcher(address);
    if (!parts.matches()) {
      throw invalid(address, null);
    }
    String prefix = parts.group(2) == null ? "" : parts.group(2);
    if (!prefix.isEmpty()) {
      try {
        ObjectKeys.requireKey(prefix);
      } catch (IllegalArgumentException e) {
        throw invalid(address, e);
      }
    }
    return new S3Address(parts.group(1), prefix);
  }

  private static WingsException invalid(String address, @Nullable Exception cause) {
    return new WingsException(
        ErrorKind.INVALID,
        "store-address-invalid",
        "expected s3://bucket/prefix, the prefix of letters, digits, '.', '_', '=', '-' and '/',"
            + " got \""
            + address
            + "\"",
        cause);
  }

  @Override
  public String toString() {
    return prefix.isEmpty() ? "s3://" + bucket : "s3://" + bucket + "/" + prefix;
  }
}
