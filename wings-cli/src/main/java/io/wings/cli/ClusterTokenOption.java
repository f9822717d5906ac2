package io.wings.cli;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The secret by which a cluster's roles, and its operators, know one another. */
public final class ClusterTokenOption {
  @Option(
      names = "--cluster-token-file",
      paramLabel = "FILE",
      defaultValue = "${env:WINGS_CLUSTER_TOKEN_FILE}",
      description =
          "The secret by which the roles know one another, the same for all of them"
              + " (WINGS_CLUSTER_TOKEN_FILE).")
  private @Nullable Path file;

  /**
   * The secret.
   *
   * @throws WingsException when it wasn't given or can't be read
   */
  public String read() {
    if (file == null) {
      throw WingsException.invalid(
          "cluster-token-missing", "say --cluster-token-file FILE, the same for all roles");
    }
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw WingsException.invalid(
          "cluster-token-unreadable", file + " can't be read: " + e.getMessage());
    }
  }
}
