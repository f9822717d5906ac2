package io.wings.catalog.secret.aws;

import io.wings.catalog.secret.OpenedOnce;
import io.wings.catalog.secret.Reading;
import io.wings.catalog.secret.SecretPointer.InAws;
import io.wings.catalog.secret.SecretStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClientBuilder;
import software.amazon.awssdk.services.secretsmanager.model.GetSecretValueResponse;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * AWS Secrets Manager. The SDK's default chain finds the process's credentials (IRSA and the like),
 * and its own settings may name another endpoint (one inside a VPC).
 */
public final class AwsSecrets implements SecretStore<InAws> {
  private static final int MAX_CONNECTIONS = 16;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  /** Codes that are certain of the secret. Others are the store's, or the process's, trouble. */
  private static final Set<String> MISSING =
      Set.of(
          "ResourceNotFoundException",
          "InvalidRequestException",
          "InvalidParameterException",
          "ValidationException");

  private static final Set<String> DENIED =
      Set.of("AccessDeniedException", "AccessDenied", "DecryptionFailure");

  /** Shared by the clients of all regions. */
  private record Connections(SdkHttpClient http, AwsCredentialsProvider credentials)
      implements AutoCloseable {
    static Connections open(AwsCredentialsProvider credentials) {
      SdkHttpClient http =
          Apache5HttpClient.builder()
              .maxConnections(MAX_CONNECTIONS)
              .connectionAcquisitionTimeout(CONNECT_TIMEOUT)
              .connectionTimeout(CONNECT_TIMEOUT)
              .socketTimeout(ANSWER_TIMEOUT)
              .build();
      return new Connections(http, credentials);
    }

    @Override
    public void close() {
      http.close();
      if (credentials instanceof SdkAutoCloseable closeable) {
        closeable.close();
      }
    }
  }

  private final OpenedOnce<Connections> connections;
  private final Consumer<SecretsManagerClientBuilder> reach;

  public AwsSecrets() {
    this(() -> DefaultCredentialsProvider.builder().build(), _ -> {});
  }

  /**
   * @param credentials of the process
   * @param reach says more of how to reach the store
   */
  AwsSecrets(
      OpenedOnce.Opening<AwsCredentialsProvider> credentials,
      Consumer<SecretsManagerClientBuilder> reach) {
    this.connections = new OpenedOnce<>(() -> Connections.open(credentials.open()));
    this.reach = reach;
  }

  @Override
  public Reading read(InAws pointer) {
    Connections shared;
    try {
      shared = connections.get();
      shared.credentials().resolveCredentials();
    } catch (IOException | SdkException e) {
      return new Reading.Unreachable(
          "this process has no AWS credentials of its own (%s); give it a role (IRSA, EKS Pod"
                  .formatted(e.getClass().getSimpleName())
              + " Identity, an instance profile)");
    }
    try (SecretsManagerClient client = client(shared, pointer)) {
      GetSecretValueResponse answer = client.getSecretValue(ask -> ask.secretId(pointer.id()));
      String text = answer.secretString();
      if (text != null) {
        return Reading.Found.of(text);
      }
      return answer.secretBinary() == null
          ? new Reading.Unreadable("its current version has no value; put one")
          : Reading.Found.of(answer.secretBinary().asByteArray());
    } catch (AwsServiceException e) {
      return refused(e);
    } catch (SdkException e) {
      return unreachable(e.getClass().getSimpleName());
    }
  }

  private SecretsManagerClient client(Connections shared, InAws pointer) {
    SecretsManagerClientBuilder builder =
        SecretsManagerClient.builder()
            .region(Region.of(pointer.region()))
            .credentialsProvider(shared.credentials())
            .httpClient(shared.http())
            .overrideConfiguration(
                config ->
                    // Whoever reads comes again.
                    config
                        .apiCallTimeout(CALL_TIMEOUT)
                        .retryStrategy(AwsRetryStrategy.doNotRetry()));
    reach.accept(builder);
    return builder.build();
  }

  private static Reading refused(AwsServiceException e) {
    String code =
        e.awsErrorDetails() == null ? "" : String.valueOf(e.awsErrorDetails().errorCode());
    if (MISSING.contains(code)) {
      return new Reading.Unreadable(
          "there is no such secret in that region, or it is being deleted (%s); create it, or"
                  .formatted(code)
              + " correct the pointer");
    }
    if (DENIED.contains(code)) {
      return new Reading.Unreadable(
          "access denied (%s); allow this process's role secretsmanager:GetSecretValue on it, and"
                  .formatted(code)
              + " kms:Decrypt where it has a key of its own");
    }
    // What the store says of itself isn't repeated: its code is enough.
    return unreachable(code.matches("[A-Za-z]{1,64}") ? code : "HTTP " + e.statusCode());
  }

  private static Reading unreachable(String why) {
    return new Reading.Unreachable("AWS Secrets Manager doesn't answer (" + why + ")");
  }

  @Override
  public void close() {
    connections.close();
  }
}
