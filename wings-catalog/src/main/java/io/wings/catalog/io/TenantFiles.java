package io.wings.catalog.io;

import java.nio.file.Path;

/** Makes one tenant's FileIOs; closed after the last of them. */
public final class TenantFiles implements AutoCloseable {
  private final LocationPolicy policy;
  private final S3Files s3;

  /**
   * Files of a tenant.
   *
   * @param staging the tenant's own directory for temporary files
   * @param reach where its objects may be
   */
  public TenantFiles(LocationPolicy policy, Path staging, Reach reach) {
    this.policy = policy;
    this.s3 = new S3Files(staging, reach);
  }

  /**
   * Local files and objects, as the policy allows.
   *
   * @param options used when the first S3 location is met; without a key that is then an error
   */
  public KeepingFileIO open(S3Options options) {
    return new KeepingFileIO(new RoutingFileIO(s3, options), policy);
  }

  public LocationPolicy policy() {
    return policy;
  }

  @Override
  public void close() {
    s3.close();
  }
}
