package io.wings.catalog.secret.gcp;

import com.google.api.gax.core.CredentialsProvider;
import com.google.api.gax.grpc.GrpcTransportChannel;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.FixedTransportChannelProvider;
import com.google.api.gax.rpc.StatusCode;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.cloud.secretmanager.v1.SecretManagerServiceClient;
import com.google.cloud.secretmanager.v1.SecretManagerServiceSettings;
import com.google.cloud.secretmanager.v1.SecretPayload;
import com.google.cloud.secretmanager.v1.SecretVersionName;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.wings.catalog.secret.OpenedOnce;
import io.wings.catalog.secret.Reading;
import io.wings.catalog.secret.SecretPointer.InGoogle;
import io.wings.catalog.secret.SecretStore;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * Google Secret Manager, over a channel of Wings' own gRPC. The process's credentials are the
 * application default ones (workload identity, the metadata server).
 */
public final class GoogleSecrets implements SecretStore<InGoogle> {
  private static final String HOST = "secretmanager.googleapis.com";
  private static final int PORT = 443;
  private static final String SCOPE = "https://www.googleapis.com/auth/cloud-platform";
  private static final String LATEST = "latest";
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  /** Above Google's own limit of 64 KiB. */
  private static final int MAX_ANSWER_BYTES = 256 * 1024;

  private record Connection(ManagedChannel channel, SecretManagerServiceClient client)
      implements AutoCloseable {
    static Connection open(ManagedChannel channel, CredentialsProvider credentials)
        throws IOException {
      SecretManagerServiceSettings.Builder settings =
          SecretManagerServiceSettings.newBuilder()
              .setCredentialsProvider(credentials)
              .setTransportChannelProvider(
                  FixedTransportChannelProvider.create(GrpcTransportChannel.create(channel)));
      settings.accessSecretVersionSettings().setSimpleTimeoutNoRetriesDuration(CALL_TIMEOUT);
      return new Connection(channel, SecretManagerServiceClient.create(settings.build()));
    }

    @Override
    public void close() {
      client.close();
      channel.shutdownNow();
    }
  }

  private final OpenedOnce<Connection> connection;

  public GoogleSecrets() {
    this(
        () -> NettyChannelBuilder.forAddress(HOST, PORT).useTransportSecurity(),
        () -> GoogleCredentials.getApplicationDefault().createScoped(SCOPE));
  }

  /**
   * @param credentials of the process
   */
  GoogleSecrets(Supplier<NettyChannelBuilder> channels, CredentialsProvider credentials) {
    this.connection =
        new OpenedOnce<>(
            () -> {
              // First, since it is what fails where there are none.
              var found = credentials.getCredentials();
              ManagedChannel channel =
                  channels.get().maxInboundMessageSize(MAX_ANSWER_BYTES).build();
              try {
                return Connection.open(channel, () -> found);
              } catch (IOException | RuntimeException e) {
                channel.shutdownNow();
                throw e;
              }
            });
  }

  @Override
  public Reading read(InGoogle pointer) {
    Connection opened;
    try {
      opened = connection.get();
    } catch (IOException e) {
      return new Reading.Unreachable(
          "this process has no Google credentials of its own (%s); give it a workload identity"
              .formatted(e.getClass().getSimpleName()));
    }
    try {
      SecretVersionName name =
          SecretVersionName.of(pointer.project(), pointer.name(), pointer.version().orElse(LATEST));
      SecretPayload payload = opened.client().accessSecretVersion(name).getPayload();
      byte[] content = payload.getData().toByteArray();
      if (payload.hasDataCrc32C() && payload.getDataCrc32C() != checksum(content)) {
        return unreachable("its answer was damaged on the way");
      }
      return Reading.Found.of(content);
    } catch (ApiException e) {
      return refused(e.getStatusCode().getCode());
    }
  }

  private static long checksum(byte[] content) {
    CRC32C sum = new CRC32C();
    sum.update(content);
    return sum.getValue();
  }

  private static Reading refused(StatusCode.Code code) {
    return switch (code) {
      case NOT_FOUND, INVALID_ARGUMENT ->
          new Reading.Unreadable(
              "there is no such secret or version in that project (%s); create it, or correct the"
                      .formatted(code)
                  + " pointer");
      case FAILED_PRECONDITION ->
          new Reading.Unreadable(
              "that version is disabled or destroyed (%s); enable it, or add one".formatted(code));
      case PERMISSION_DENIED ->
          new Reading.Unreadable(
              "access denied (%s); give this process's account the role Secret Manager Secret"
                      .formatted(code)
                  + " Accessor on it");
      case OK,
          CANCELLED,
          UNKNOWN,
          DEADLINE_EXCEEDED,
          ALREADY_EXISTS,
          RESOURCE_EXHAUSTED,
          ABORTED,
          OUT_OF_RANGE,
          UNIMPLEMENTED,
          INTERNAL,
          UNAVAILABLE,
          DATA_LOSS,
          UNAUTHENTICATED ->
          unreachable(code.name());
    };
  }

  private static Reading unreachable(String why) {
    return new Reading.Unreachable("Google Secret Manager doesn't answer (" + why + ")");
  }

  @Override
  public void close() {
    connection.close();
  }
}
