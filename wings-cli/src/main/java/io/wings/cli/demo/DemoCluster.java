package io.wings.cli.demo;

import io.wings.cli.StoreArguments;
import io.wings.cli.client.WingsClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.memory.BufferAllocator;

/** All roles as child processes on ephemeral ports of this machine, over one store. */
final class DemoCluster implements AutoCloseable {
  private static final String ANY_PORT = "127.0.0.1:0";

  private final Path logs;
  private final StoreArguments store;
  private final List<String> common;
  private final Deque<RoleProcess> roles = new ArrayDeque<>();
  private String loadBalancer = "";
  private String catalog = "";

  /**
   * Nothing runs yet.
   *
   * @param logs directory for the roles' logs
   * @param clusterToken file with the secret that the roles share
   */
  DemoCluster(Path logs, StoreArguments store, Path clusterToken) {
    this.logs = logs;
    this.store = store;
    this.common = List.of("--http", ANY_PORT, "--cluster-token-file", clusterToken.toString());
  }

  /**
   * Starts all.
   *
   * @param each how many ingestors, and how many workers
   */
  void start(int each) throws IOException {
    start("broker", 192, "--listen", ANY_PORT);
    List<String> ingestors = new ArrayList<>();
    for (int i = 1; i <= each; i++) {
      String suffix = each == 1 ? "" : "-" + i;
      ingestors.add(start("ingestor" + suffix, 384, "--listen", ANY_PORT).address());
      start("worker" + suffix, 384);
    }
    catalog = start("catalog", 192, "--open", "--listen", ANY_PORT).address();
    List<String> arguments = new ArrayList<>(List.of("load-balancer", "--open"));
    arguments.addAll(List.of("--listen", ANY_PORT, "--ingestors", String.join(",", ingestors)));
    arguments.addAll(common);
    loadBalancer = run("load-balancer", 256, arguments).address();
  }

  private RoleProcess start(String name, int heapMegabytes, String... more) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(name.replaceAll("-\\d$", "")));
    arguments.addAll(store.arguments());
    arguments.addAll(common);
    arguments.addAll(List.of(more));
    return run(name, heapMegabytes, arguments);
  }

  private RoleProcess run(String name, int heapMegabytes, List<String> arguments)
      throws IOException {
    RoleProcess process = RoleProcess.start(name, logs, heapMegabytes, arguments);
    roles.push(process);
    return process;
  }

  WingsClient connect(BufferAllocator allocator) {
    return WingsClient.connect("grpc://" + loadBalancer, null, allocator);
  }

  /** {@code host:port} of the load balancer. */
  String loadBalancer() {
    return loadBalancer;
  }

  /** {@code http://host:port} of the REST catalog. */
  String catalogUri() {
    return "http://" + catalog;
  }

  /** Peak resident set of each role, MiB. */
  Map<String, Long> peakRssMegabytes() {
    Map<String, Long> sizes = new TreeMap<>();
    roles.forEach(role -> sizes.put(role.name(), role.peakRssMegabytes()));
    return sizes;
  }

  /** Roles that have ended although nobody asked them to. */
  List<String> dead() {
    return roles.stream()
        .filter(role -> !role.alive() && !role.killed())
        .map(RoleProcess::name)
        .toList();
  }

  /** Those of a kind that weren't killed. */
  List<RoleProcess> alive(String kind) {
    return roles.stream().filter(role -> role.name().startsWith(kind) && !role.killed()).toList();
  }

  /** Stops the roles in the reverse order of their start. */
  @Override
  public void close() {
    while (!roles.isEmpty()) {
      roles.pop().close();
    }
  }
}
