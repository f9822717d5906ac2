package io.wings.common.objectstore.s3;

import io.wings.common.objectstore.StoreOptions;
import java.net.URI;

/** A server of S3's protocol on the loopback, with a bucket for one test. */
public interface S3Server extends AutoCloseable {
  URI endpoint();

  /** How to reach it; also by command line: region {@code us-east-1}, addressed by path. */
  StoreOptions options();

  /** {@code s3://bucket/prefix}. */
  String address(String prefix);

  @Override
  void close();
}
