package io.wings.deploy;

import static io.wings.deploy.Manifests.stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.deploy.Manifests.Pod;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Rendered pods as processes of this machine: what a pod mounts lies in a directory of its own,
 * ports are free ones of the loopback, and services' names are its name. All else, arguments and
 * variables, is as the chart says it.
 */
final class LocalPods {
  private final Manifests manifests;
  private final Path directory;
  private final Map<String, Map<String, String>> secrets;
  private final Map<String, String> ports = new HashMap<>();

  /**
   * @param secrets their values by name and key; a pod gets those that it mounts or names
   */
  LocalPods(Manifests manifests, Path directory, Map<String, Map<String, String>> secrets)
      throws IOException {
    this.manifests = manifests;
    this.directory = directory;
    this.secrets = secrets;
    for (Pod pod : manifests.rolePods()) {
      for (JsonNode port : pod.container().path("ports")) {
        if (!port.path("name").asText().equals("http")) {
          ports.put(":" + port.path("containerPort").asText(), ":" + freePort());
        }
      }
    }
    for (Pod pod : manifests.pods()) {
      mount(pod);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void mount(Pod pod) throws IOException {
    for (JsonNode mount : pod.container().path("volumeMounts")) {
      Path at = Files.createDirectories(here(pod, Path.of(mount.path("mountPath").asText())));
      JsonNode volume =
          stream(pod.spec().path("volumes"))
              .filter(each -> each.path("name").equals(mount.path("name")))
              .findFirst()
              .orElseThrow();
      if (volume.has("emptyDir")) {
        Files.setPosixFilePermissions(at, PosixFilePermissions.fromString("rwxrwxrwx"));
      } else {
        for (Map.Entry<String, String> file : files(volume.path("secret")).entrySet()) {
          Files.writeString(at.resolve(file.getKey()), file.getValue());
        }
      }
    }
  }

  /** What a volume shows of its secret. */
  private Map<String, String> files(JsonNode volume) {
    Map<String, String> all = secret(volume.path("secretName").asText());
    if (!volume.has("items")) {
      return all;
    }
    Map<String, String> named = new TreeMap<>();
    for (JsonNode item : volume.path("items")) {
      named.put(item.path("path").asText(), value(all, item.path("key").asText()));
    }
    return named;
  }

  private Map<String, String> secret(String name) {
    return Objects.requireNonNull(secrets.get(name), name);
  }

  private static String value(Map<String, String> secret, String key) {
    return Objects.requireNonNull(secret.get(key), key);
  }

  /** Where a pod's file is. */
  private Path here(Pod pod, Path file) {
    return directory.resolve(pod.component()).resolve(file.toString().substring(1));
  }

  /** An argument or a variable's value, as it is on this machine. */
  private String here(Pod pod, String text) {
    String local =
        text.replace("$(POD_IP)", "127.0.0.1")
            .replace("0.0.0.0:9090", "127.0.0.1:0")
            .replace("0.0.0.0", "127.0.0.1")
            .replaceAll(Chart.NAME + "-[a-z-]+\\." + Chart.NAMESPACE + "\\.svc", "localhost")
            .replaceFirst("(^|=|file://)(/.*)", "$1" + directory.resolve(pod.component()) + "$2");
    for (Map.Entry<String, String> port : ports.entrySet()) {
      local = local.replace(port.getKey(), port.getValue());
    }
    return local;
  }

  /** Where a service's port is. */
  String address(int port) {
    return "localhost" + ports.get(":" + port);
  }

  /** A file that a pod sees. */
  Path file(String component, String path) {
    return here(manifests.pod(component), Path.of(path));
  }

  /** What a container of the pod runs, behind the entry point. */
  List<String> arguments(String component) {
    Pod pod = manifests.pod(component);
    return pod.arguments().stream().map(argument -> here(pod, argument)).toList();
  }

  /** What an operator runs in the pod, in the pod's words. */
  List<String> arguments(String component, String... arguments) {
    Pod pod = manifests.pod(component);
    return List.of(arguments).stream().map(argument -> here(pod, argument)).toList();
  }

  /** {@code NAME=VALUE}, and the pod's own temporary directory. */
  List<String> environment(String component) {
    Pod pod = manifests.pod(component);
    List<String> all = new ArrayList<>();
    all.add("TMPDIR=" + here(pod, Path.of("/tmp")));
    for (Map.Entry<String, JsonNode> variable : pod.environment().entrySet()) {
      JsonNode key = variable.getValue().at("/valueFrom/secretKeyRef");
      String value =
          key.isMissingNode()
              ? here(pod, variable.getValue().path("value").asText())
              : value(secret(key.path("name").asText()), key.path("key").asText());
      all.add(variable.getKey() + "=" + value);
    }
    return all;
  }
}
