package io.wings.common.objectstore;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How to reach a store, beside its address.
 *
 * @param endpoint of an S3-compatible server; empty: AWS
 * @param region empty: from the environment, as the AWS SDK finds it
 * @param pathStyle whether the bucket is in the path rather than in the host name
 * @param credentials empty: the AWS SDK's default chain
 * @param simulateS3 adds the latencies of S3 to every call; for demonstrations on a local directory
 * @param faultFile a file whose content says which puts fail ({@link FaultFile}); for tests of
 *     whole processes
 */
public record StoreOptions(
    Optional<URI> endpoint,
    Optional<String> region,
    boolean pathStyle,
    Optional<Credentials> credentials,
    boolean simulateS3,
    Optional<Path> faultFile) {

  /**
   * A static access key. Its text form shows no secret.
   *
   * @param sessionToken of a temporary key
   */
  public record Credentials(
      String accessKeyId, String secretAccessKey, Optional<String> sessionToken) {
    /** A key that doesn't end. */
    public Credentials(String accessKeyId, String secretAccessKey) {
      this(accessKeyId, secretAccessKey, Optional.empty());
    }

    @Override
    public String toString() {
      return "Credentials[" + accessKeyId + ", ***]";
    }
  }

  /** AWS, or a local directory, as the environment has it. */
  public static StoreOptions defaults() {
    return new StoreOptions(
        Optional.empty(), Optional.empty(), false, Optional.empty(), false, Optional.empty());
  }

  /** An S3-compatible server with a static key, addressed by path. */
  public static StoreOptions compatible(URI endpoint, String region, Credentials credentials) {
    return new StoreOptions(
        Optional.of(endpoint),
        Optional.of(region),
        true,
        Optional.of(credentials),
        false,
        Optional.empty());
  }

  public StoreOptions withSimulatedS3(boolean simulate) {
    return new StoreOptions(endpoint, region, pathStyle, credentials, simulate, faultFile);
  }

  public StoreOptions withFaultFile(Path file) {
    return new StoreOptions(
        endpoint, region, pathStyle, credentials, simulateS3, Optional.of(file));
  }
}
