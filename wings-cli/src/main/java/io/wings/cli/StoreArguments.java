package io.wings.cli;

import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the cluster's objects are and how to reach them. */
public final class StoreArguments {
  @Option(
      names = "--store",
      paramLabel = "ADDRESS",
      description =
          "The cluster: s3://bucket/prefix or an absolute path (environment: WINGS_STORE). S3"
              + " credentials come from the AWS SDK's default chain.")
  private @Nullable String address;

  @Option(
      names = "--s3-endpoint",
      paramLabel = "URI",
      defaultValue = "${env:WINGS_S3_ENDPOINT}",
      description = "An S3-compatible server (WINGS_S3_ENDPOINT; default: AWS).")
  private @Nullable URI endpoint;

  @Option(
      names = "--s3-region",
      paramLabel = "REGION",
      defaultValue = "${env:WINGS_S3_REGION}",
      description = "Its region (WINGS_S3_REGION; default: as the AWS SDK finds it).")
  private @Nullable String region;

  @Option(
      names = "--s3-path-style",
      defaultValue = "${env:WINGS_S3_PATH_STYLE:-false}",
      description = "The bucket is in the path, not in the host name (WINGS_S3_PATH_STYLE).")
  private boolean pathStyle;

  @Option(
      names = "--simulate-s3",
      description =
          "Adds S3's latencies to a local directory: PUT 100/195/274 ms, GET 63/78/118 ms.")
  private boolean simulateS3;

  @Option(
      names = "--store-faults",
      hidden = true,
      paramLabel = "FILE",
      description = "For tests: a file that says which puts fail.")
  private @Nullable Path faults;

  /**
   * The address given, else the environment's.
   *
   * @throws WingsException when there is neither
   */
  public String address() {
    String found = address != null ? address : System.getenv("WINGS_STORE");
    if (found == null || found.isEmpty()) {
      throw WingsException.invalid(
          "store-missing", "say where the cluster is: --store ADDRESS, or WINGS_STORE");
    }
    return found;
  }

  /** Whether an address was given on the command line. */
  public boolean given() {
    return address != null;
  }

  /** Takes {@code local} where no address was given on the command line. */
  public void orElse(String local) {
    if (address == null) {
      address = local;
    }
  }

  public boolean onS3() {
    return address().startsWith("s3://");
  }

  /**
   * Properties with which Iceberg reaches the same store: endpoint, region, path style, and the key
   * of the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN).
   */
  public Map<String, String> icebergProperties() {
    Map<String, String> properties = new TreeMap<>();
    if (endpoint != null) {
      properties.put("s3.endpoint", endpoint.toString());
    }
    if (region != null) {
      properties.put("client.region", region);
    }
    if (pathStyle) {
      properties.put("s3.path-style-access", "true");
    }
    putFromEnvironment(properties, "s3.access-key-id", "AWS_ACCESS_KEY_ID");
    putFromEnvironment(properties, "s3.secret-access-key", "AWS_SECRET_ACCESS_KEY");
    putFromEnvironment(properties, "s3.session-token", "AWS_SESSION_TOKEN");
    return properties;
  }

  private static void putFromEnvironment(
      Map<String, String> properties, String property, String variable) {
    String value = System.getenv(variable);
    if (value != null && !value.isEmpty()) {
      properties.put(property, value);
    }
  }

  public boolean simulateS3() {
    return simulateS3;
  }

  public StoreOptions options() {
    return new StoreOptions(
        Optional.ofNullable(endpoint),
        Optional.ofNullable(region),
        pathStyle,
        Optional.empty(),
        simulateS3,
        Optional.ofNullable(faults));
  }

  public ObjectStore open() {
    return ObjectStores.open(address(), options());
  }

  /** The same, for the command line of a child process. */
  public List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of("--store", address()));
    if (endpoint != null) {
      arguments.addAll(List.of("--s3-endpoint", endpoint.toString()));
    }
    if (region != null) {
      arguments.addAll(List.of("--s3-region", region));
    }
    if (pathStyle) {
      arguments.add("--s3-path-style");
    }
    if (simulateS3) {
      arguments.add("--simulate-s3");
    }
    if (faults != null) {
      arguments.addAll(List.of("--store-faults", faults.toString()));
    }
    return arguments;
  }
}
