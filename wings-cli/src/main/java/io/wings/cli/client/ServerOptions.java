package io.wings.cli.client;

import io.wings.cli.Unreadable;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a client command reaches the cluster. */
public final class ServerOptions {
  @Option(
      names = "--server",
      paramLabel = "URI",
      defaultValue = "${env:WINGS_SERVER:-grpc://127.0.0.1:8815}",
      description =
          "The load balancer, grpc://host:port or grpc+tls://host:port (default: ${DEFAULT-VALUE};"
              + " environment: WINGS_SERVER).")
  private String server = "";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      defaultValue = "${env:WINGS_TOKEN_FILE}",
      description =
          "File that holds the bearer token; none for an open cluster (WINGS_TOKEN_FILE).")
  private @Nullable Path tokenFile;

  @Option(
      names = "--server-ca",
      paramLabel = "FILE",
      defaultValue = "${env:WINGS_SERVER_CA}",
      description =
          "With grpc+tls: the authority of the server's certificate, PEM (WINGS_SERVER_CA; default:"
              + " those that the JDK trusts).")
  private @Nullable Path authority;

  public WingsClient connect(BufferAllocator allocator) {
    return WingsClient.connect(server, token(), authority, allocator);
  }

  private @Nullable String token() {
    if (tokenFile == null) {
      return null;
    }
    try {
      return Files.readString(tokenFile).strip();
    } catch (IOException e) {
      throw WingsException.invalid(
          "token-file-unreadable", tokenFile + " can't be read: " + Unreadable.reason(e));
    }
  }
}
