package io.wings.catalog.secret.gcp;

import com.google.api.gax.core.NoCredentialsProvider;
import com.google.cloud.secretmanager.v1.AccessSecretVersionRequest;
import com.google.cloud.secretmanager.v1.AccessSecretVersionResponse;
import com.google.cloud.secretmanager.v1.SecretPayload;
import com.google.cloud.secretmanager.v1.SecretVersionName;
import com.google.protobuf.ByteString;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.wings.catalog.secret.SecretPointer.InGoogle;
import io.wings.catalog.secret.SecretServer;
import io.wings.catalog.secret.SecretStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.CRC32C;

/** AccessSecretVersion, and its refusals. */
public final class LocalSecretManager implements SecretServer<InGoogle> {
  private static final String SERVICE = "google.cloud.secretmanager.v1.SecretManagerService";
  private static final String PROJECT = "wings-test";

  private final Map<String, List<String>> secrets = new ConcurrentHashMap<>();
  private final Server server;
  private final int port;
  private volatile Answer answer = Answer.RIGHTLY;
  private volatile boolean damaging;

  public LocalSecretManager() throws IOException {
    MethodDescriptor<AccessSecretVersionRequest, AccessSecretVersionResponse> access =
        MethodDescriptor.<AccessSecretVersionRequest, AccessSecretVersionResponse>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(
                MethodDescriptor.generateFullMethodName(SERVICE, "AccessSecretVersion"))
            .setRequestMarshaller(
                ProtoUtils.marshaller(AccessSecretVersionRequest.getDefaultInstance()))
            .setResponseMarshaller(
                ProtoUtils.marshaller(AccessSecretVersionResponse.getDefaultInstance()))
            .build();
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                ServerServiceDefinition.builder(SERVICE)
                    .addMethod(access, ServerCalls.asyncUnaryCall(this::answer))
                    .build())
            .build()
            .start();
    // Once it has stopped it doesn't say.
    port = server.getPort();
  }

  private void answer(
      AccessSecretVersionRequest request, StreamObserver<AccessSecretVersionResponse> to) {
    Status refusal =
        switch (answer) {
          case RIGHTLY -> Status.OK;
          case DENIED -> Status.PERMISSION_DENIED;
          case THROTTLED -> Status.RESOURCE_EXHAUSTED;
          case FAILING -> Status.UNAVAILABLE;
          case UNAUTHENTICATED -> Status.UNAUTHENTICATED;
        };
    SecretVersionName name = SecretVersionName.parse(request.getName());
    List<String> versions = secrets.getOrDefault(name.getSecret(), List.of());
    int number =
        name.getSecretVersion().equals("latest")
            ? versions.size()
            : Integer.parseInt(name.getSecretVersion());
    if (refusal.isOk() && (number < 1 || number > versions.size())) {
      refusal = Status.NOT_FOUND;
    }
    if (!refusal.isOk()) {
      to.onError(refusal.withDescription("refused: " + QUOTED).asRuntimeException());
      return;
    }
    ByteString data = ByteString.copyFromUtf8(versions.get(number - 1));
    CRC32C sum = new CRC32C();
    sum.update(data.toByteArray());
    to.onNext(
        AccessSecretVersionResponse.newBuilder()
            .setName(request.getName())
            .setPayload(
                SecretPayload.newBuilder()
                    .setData(data)
                    .setDataCrc32C(sum.getValue() + (damaging ? 1 : 0)))
            .build());
    to.onCompleted();
  }

  /** From now on, answers are not what their checksum says. */
  public void damage() {
    damaging = true;
  }

  @Override
  public InGoogle pointer(String name) {
    return new InGoogle(PROJECT, name, Optional.empty());
  }

  /** Of a version, counted from 1. */
  public InGoogle pointer(String name, int version) {
    return new InGoogle(PROJECT, name, Optional.of(String.valueOf(version)));
  }

  @Override
  public void put(String name, String content) {
    secrets.computeIfAbsent(name, _ -> new CopyOnWriteArrayList<>()).add(content);
  }

  @Override
  public void answer(Answer answer) {
    this.answer = answer;
  }

  @Override
  public SecretStore<InGoogle> store() {
    return new GoogleSecrets(
        () -> NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext(),
        NoCredentialsProvider.create());
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
