package io.wings.common.objectstore.s3;

import io.wings.common.objectstore.StoreOptions;
import java.time.Duration;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Makes the SDK's clients. */
final class S3Clients {
  /** Requests under way at once; further ones wait for {@link #CONNECTION_WAIT}. */
  private static final int MAX_CONNECTIONS = 256;

  private static final Duration CONNECTION_WAIT = Duration.ofSeconds(10);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Silence on a connection. */
  static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(20);

  /** One attempt from its first byte to its last: 64 MiB take 30 s at 2 MiB/s. */
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(60);

  private S3Clients() {}

  /**
   * Two clients over the same connections.
   *
   * @param reads repeats a failed request a few times; not for puts
   * @param puts sends a request once: a put that was repeated after it had landed would come back
   *     as a loss
   * @param credentials of both
   */
  record Opened(
      S3Client reads, S3Client puts, SdkHttpClient connections, AwsCredentialsProvider credentials)
      implements AutoCloseable {
    @Override
    public void close() {
      reads.close();
      puts.close();
      connections.close();
    }
  }

  static Opened open(StoreOptions options, Duration socketTimeout) {
    AwsCredentialsProvider credentials =
        options
            .credentials()
            .<AwsCredentialsProvider>map(key -> StaticCredentialsProvider.create(credentials(key)))
            .orElseGet(() -> DefaultCredentialsProvider.builder().build());
    SdkHttpClient connections =
        Apache5HttpClient.builder()
            .maxConnections(MAX_CONNECTIONS)
            .connectionAcquisitionTimeout(CONNECTION_WAIT)
            .connectionTimeout(CONNECT_TIMEOUT)
            .socketTimeout(socketTimeout)
            .build();
    return new Opened(
        client(options, credentials, connections, AwsRetryStrategy.standardRetryStrategy()),
        client(options, credentials, connections, AwsRetryStrategy.doNotRetry()),
        connections,
        credentials);
  }

  static AwsCredentials credentials(StoreOptions.Credentials key) {
    return key.sessionToken().isPresent()
        ? AwsSessionCredentials.create(
            key.accessKeyId(), key.secretAccessKey(), key.sessionToken().get())
        : AwsBasicCredentials.create(key.accessKeyId(), key.secretAccessKey());
  }

  private static S3Client client(
      StoreOptions options,
      AwsCredentialsProvider credentials,
      SdkHttpClient connections,
      RetryStrategy retries) {
    S3ClientBuilder builder =
        S3Client.builder()
            .credentialsProvider(credentials)
            .forcePathStyle(options.pathStyle())
            .httpClient(connections)
            .overrideConfiguration(
                config -> config.apiCallAttemptTimeout(ATTEMPT_TIMEOUT).retryStrategy(retries));
    options.endpoint().ifPresent(builder::endpointOverride);
    options.region().map(Region::of).ifPresent(builder::region);
    return builder.build();
  }
}
