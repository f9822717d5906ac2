package io.wings.process;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;

/** Roles as processes over a local directory, with the catalog {@code main}. */
final class TestCluster implements AutoCloseable {
  static final String CATALOG = "main";

  private final Path directory;
  private final Path store;
  private final Path token;
  private final Deque<WingsProcess> processes = new ArrayDeque<>();

  TestCluster(Path directory) throws IOException, InterruptedException {
    this.directory = directory;
    this.store = directory.resolve("cluster");
    this.token = Files.writeString(directory.resolve("cluster-token"), "of-the-test");
    Path warehouse = Files.createDirectories(directory.resolve("warehouse")).toRealPath();
    Path secret =
        Files.writeString(
            directory.resolve("main.json"),
            "{\"type\":\"wings\",\"warehouse\":\"file://" + warehouse + "\"}");
    WingsProcess.Ended added =
        WingsProcess.run(
            directory,
            List.of(
                "tenant",
                "add",
                CATALOG,
                "--secret",
                "file://" + secret,
                "--store",
                store.toString()));
    if (added.code() != 0) {
      throw new IOException(added.err());
    }
  }

  /** Starts a role over the store. */
  WingsProcess start(String name, String role, String... more) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(role, "--store", store.toString()));
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
    List<String> addresses = new ArrayList<>();
    for (WingsProcess ingestor : ingestors) {
      addresses.add(ingestor.address());
    }
    return process(
        name,
        List.of(
            "load-balancer",
            "--open",
            "--listen",
            "127.0.0.1:0",
            "--ingestors",
            String.join(",", addresses)));
  }

  private WingsProcess process(String name, List<String> arguments) throws IOException {
    List<String> all = new ArrayList<>(arguments);
    all.addAll(List.of("--http", "127.0.0.1:0", "--cluster-token-file", token.toString()));
    WingsProcess process = WingsProcess.start(directory, name, all);
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

  /** The store, for looking at what is in it. */
  ObjectStore openStore() {
    return ObjectStores.open(store.toString(), StoreOptions.defaults());
  }

  @Override
  public void close() {
    while (!processes.isEmpty()) {
      processes.pop().close();
    }
  }
}
