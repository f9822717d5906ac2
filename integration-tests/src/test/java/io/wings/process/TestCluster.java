package io.wings.process;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.objectstore.s3.S3Server;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/** Roles as processes over a local directory or a bucket, with the catalog {@code main}. */
final class TestCluster implements AutoCloseable {
  static final String CATALOG = "main";

  private final Path directory;
  private final String address;
  private final @Nullable S3Server server;
  private final Map<String, String> environment;
  private final Path token;
  private final List<String> everyRole = new ArrayList<>();
  private final Deque<WingsProcess> processes = new ConcurrentLinkedDeque<>();

  /** Over {@code directory}. */
  TestCluster(Path directory) throws IOException, InterruptedException {
    this(directory, null);
  }

  /** Over the bucket of {@code server}; logs and scratch are in {@code directory}. */
  TestCluster(Path directory, @Nullable S3Server server) throws IOException, InterruptedException {
    this.directory = directory;
    this.server = server;
    this.token = Files.writeString(directory.resolve("cluster-token"), "of-the-test");
    this.address =
        server == null ? directory.resolve("cluster").toString() : server.address("cluster");
    this.environment = server == null ? Map.of() : credentials(server);
    Path secret =
        Files.writeString(
            directory.resolve("main.json"), WingsClient.JSON.writeValueAsString(properties()));
    WingsProcess.Ended added = admin("tenant", "add", CATALOG, "--secret", "file://" + secret);
    if (added.code() != 0) {
      throw new IOException(added.err());
    }
  }

  /** A command that opens the store. */
  WingsProcess.Ended admin(String... arguments) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(storeArguments(null));
    return WingsProcess.run(directory, environment, all);
  }

  private static Map<String, String> credentials(S3Server server) {
    StoreOptions.Credentials key = server.options().credentials().orElseThrow();
    return Map.of(
        "AWS_ACCESS_KEY_ID", key.accessKeyId(), "AWS_SECRET_ACCESS_KEY", key.secretAccessKey());
  }

  /** Iceberg's properties of the catalog, as its secret holds them. */
  Map<String, String> properties() throws IOException {
    Map<String, String> properties = new TreeMap<>(Map.of("type", "wings"));
    if (server == null) {
      Path warehouse = Files.createDirectories(directory.resolve("warehouse")).toRealPath();
      properties.put("warehouse", "file://" + warehouse);
      return properties;
    }
    properties.put("warehouse", server.address("warehouse"));
    properties.put("s3.endpoint", server.endpoint().toString());
    properties.put("client.region", "us-east-1");
    properties.put("s3.path-style-access", "true");
    properties.put("s3.access-key-id", environment.getOrDefault("AWS_ACCESS_KEY_ID", ""));
    properties.put("s3.secret-access-key", environment.getOrDefault("AWS_SECRET_ACCESS_KEY", ""));
    return properties;
  }

  private List<String> storeArguments(@Nullable URI endpoint) {
    List<String> arguments = new ArrayList<>(List.of("--store", address));
    if (server != null) {
      URI dialled = endpoint == null ? server.endpoint() : endpoint;
      arguments.addAll(List.of("--s3-endpoint", dialled.toString()));
      arguments.addAll(List.of("--s3-region", "us-east-1", "--s3-path-style"));
    }
    return arguments;
  }

  /** Starts a role over the store. */
  WingsProcess start(String name, String role, String... more) throws IOException {
    return startThrough(null, name, role, more);
  }

  /** Starts a role that reaches the bucket at {@code endpoint}. */
  WingsProcess startThrough(@Nullable URI endpoint, String name, String role, String... more)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of(role));
    arguments.addAll(storeArguments(endpoint));
    arguments.addAll(List.of(more));
    return process(name, arguments);
  }

  WingsProcess broker() throws IOException {
    return start("broker", "broker", "--listen", "127.0.0.1:0");
  }

  WingsProcess ingestor(String name, String... more) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("--listen", "127.0.0.1:0"));
    arguments.addAll(List.of(more));
    return start(name, "ingestor", arguments.toArray(String[]::new));
  }

  WingsProcess worker(String name) throws IOException {
    return start(name, "worker", "--scratch", directory.resolve(name + "-scratch").toString());
  }

  WingsProcess loadBalancer(String name, WingsProcess... ingestors) throws IOException {
    List<String> addresses = Stream.of(ingestors).map(WingsProcess::address).toList();
    return loadBalancer(name, "127.0.0.1:0", addresses);
  }

  WingsProcess loadBalancer(String name, String listen, List<String> ingestors, String... more)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of("load-balancer", "--open"));
    arguments.addAll(List.of("--listen", listen, "--ingestors", String.join(",", ingestors)));
    arguments.addAll(List.of(more));
    return process(name, arguments);
  }

  /** A port of the loopback that nobody has at the moment. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Arguments of every role from here on. */
  void everyRole(String... arguments) {
    everyRole.addAll(List.of(arguments));
  }

  private WingsProcess process(String name, List<String> arguments) throws IOException {
    List<String> all = new ArrayList<>(arguments);
    all.addAll(everyRole);
    all.addAll(List.of("--http", "127.0.0.1:0", "--cluster-token-file", token.toString()));
    WingsProcess process = WingsProcess.start(directory, environment, name, all);
    processes.push(process);
    return process;
  }

  static WingsClient connect(WingsProcess loadBalancer, BufferAllocator allocator) {
    return WingsClient.connect("grpc://" + loadBalancer.address(), null, allocator);
  }

  static TableName table(String name) {
    return new TableName(CATALOG, List.of("test"), name);
  }

  static ObjectNode request(TableName table) {
    return table.into(WingsClient.JSON.createObjectNode());
  }

  /** All that were started, the last one first. */
  Collection<WingsProcess> processes() {
    return processes;
  }

  /** Where the store is, as a command is told. */
  String address() {
    return address;
  }

  /** The secret that the roles share. */
  Path token() {
    return token;
  }

  /** The store, for looking at what is in it. */
  ObjectStore openStore() {
    return ObjectStores.open(address, server == null ? StoreOptions.defaults() : server.options());
  }

  @Override
  public void close() {
    processes.forEach(WingsProcess::resume);
    while (!processes.isEmpty()) {
      processes.pop().close();
    }
  }
}
