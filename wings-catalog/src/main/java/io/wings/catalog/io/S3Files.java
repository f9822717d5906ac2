package io.wings.catalog.io;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.aws.s3.S3FileIOProperties;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * One tenant's S3FileIOs. Their clients are built here, with a key that was given and a region that
 * was given, so that nothing is looked up in the process's environment, profile or metadata
 * service.
 */
final class S3Files implements AutoCloseable {
  private static final int MAX_CONNECTIONS = 64;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration CALL_TIMEOUT = Duration.ofMinutes(10);

  private final Path staging;
  private final SdkHttpClient http;

  /**
   * @param staging the tenant's own directory for parts of files that are being uploaded
   * @param reach where objects may be
   */
  S3Files(Path staging, Reach reach) {
    this.staging = staging;
    this.http =
        Apache5HttpClient.builder()
            .maxConnections(MAX_CONNECTIONS)
            .connectionTimeout(CONNECT_TIMEOUT)
            .socketTimeout(SOCKET_TIMEOUT)
            .dnsResolver(reach)
            .build();
  }

  S3FileIO open(S3Options options) {
    S3Client client = client(options);
    S3FileIO files =
        new S3FileIO(
            () -> client,
            () -> {
              throw new UnsupportedOperationException("no asynchronous S3 client");
            });
    files.initialize(
        Map.of(
            S3FileIOProperties.STAGING_DIRECTORY,
            staging.toString(),
            "init-creation-stacktrace",
            "false"));
    return files;
  }

  private S3Client client(S3Options options) {
    S3Options.Key key = options.requiredKey();
    AwsCredentials credentials =
        key.sessionToken().isPresent()
            ? AwsSessionCredentials.create(
                key.accessKeyId(), key.secretAccessKey(), key.sessionToken().get())
            : AwsBasicCredentials.create(key.accessKeyId(), key.secretAccessKey());
    ProfileFile noProfile = ProfileFile.aggregator().build();
    S3ClientBuilder builder =
        S3Client.builder()
            .credentialsProvider(StaticCredentialsProvider.create(credentials))
            .region(Region.of(options.requiredRegion()))
            .httpClient(http)
            .forcePathStyle(options.pathStyle())
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .overrideConfiguration(
                override -> override.defaultProfileFile(noProfile).apiCallTimeout(CALL_TIMEOUT));
    options.endpoint().ifPresent(builder::endpointOverride);
    return builder.build();
  }

  @Override
  public void close() {
    http.close();
  }
}
