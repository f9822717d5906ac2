package io.wings.cli.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.cluster.Keys;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.grant.Audit;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.time.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What operators' commands do to a cluster's store, which they open themselves: a line in the log
 * of acts, on the command's stderr, and the same as an object of the store. Both are there before
 * the act is done.
 */
record OperatorActs(ObjectStore store, Time time, Ids ids) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> COMMON =
      Set.of("at", "who", "from", "what", "on", "allowed", "via");

  /**
   * Notes an act before it is done.
   *
   * @param on what it is done to, level by level
   * @param details what else is to be known of it; no secrets
   * @throws WingsException {@code store-unavailable}; the act must not be done then
   */
  void note(String what, List<String> on, Map<String, String> details) {
    ObjectNode line = Audit.command(user(), host(), what, on, new TreeMap<>(details));
    Instant now = time.now();
    ObjectNode kept = JSON.createObjectNode().put("at", now.toString());
    kept.setAll(line);
    String key = Keys.act(now, ids.hex());
    PutOutcome outcome =
        store.put(
            key, Body.of(kept.toString().getBytes(StandardCharsets.UTF_8)), PutCondition.any());
    if (!(outcome instanceof PutOutcome.Written)) {
      throw WingsException.unavailable(
          "store-unavailable",
          "the note of this act wasn't written to " + key + ", so nothing was done: say it again",
          null);
    }
  }

  /** Gives the latest acts, as many as {@code last}, the oldest first. */
  void read(int last, Consumer<ObjectNode> each) {
    Deque<String> keys = new ArrayDeque<>();
    store
        .list(Keys.ACTS, "")
        .forEachRemaining(
            (ObjectHead head) -> {
              keys.add(head.key());
              if (keys.size() > last) {
                keys.remove();
              }
            });
    for (String key : keys) {
      store.get(key).ifPresent(object -> each.accept(parsed(key, object.bytes())));
    }
  }

  /**
   * Takes the notes of earlier acts away.
   *
   * @return how many
   */
  int prune(Instant before) {
    String end = Keys.actsFrom(before);
    int pruned = 0;
    Iterator<ObjectHead> all = store.list(Keys.ACTS, "");
    while (all.hasNext()) {
      String key = all.next().key();
      if (key.compareTo(end) >= 0) {
        break;
      }
      store.delete(key);
      pruned++;
    }
    return pruned;
  }

  /** A line for people. */
  static String text(ObjectNode act) {
    StringBuilder text =
        new StringBuilder()
            .append(act.path("at").asText())
            .append("  ")
            .append(act.path("who").asText())
            .append('@')
            .append(act.path("from").asText())
            .append("  ")
            .append(act.path("what").asText());
    act.path("on").forEach(level -> text.append(' ').append(level));
    act.properties().stream()
        .filter(field -> !COMMON.contains(field.getKey()))
        .forEach(
            field -> text.append("  ").append(field.getKey()).append('=').append(field.getValue()));
    return text.toString();
  }

  private static ObjectNode parsed(String key, byte[] bytes) {
    try {
      if (JSON.readTree(bytes) instanceof ObjectNode line) {
        return line;
      }
    } catch (JsonProcessingException e) {
      throw invalid(key, e);
    } catch (IOException e) {
      throw new IllegalStateException("bytes in memory can be read", e);
    }
    throw invalid(key, null);
  }

  private static WingsException invalid(String key, @Nullable Exception e) {
    return new WingsException(
        ErrorKind.CORRUPT, "stored-json-invalid", key + ": expected a JSON object", e);
  }

  /** Who types the command, as far as the machine knows; in a container maybe a number only. */
  private static String user() {
    String name = System.getProperty("user.name");
    if (name != null && !name.isBlank() && !name.equals("?")) {
      return name;
    }
    try {
      return "uid " + Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
      return "unknown";
    }
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException _) {
      String name = System.getenv("HOSTNAME");
      return name == null ? "unknown" : name;
    }
  }
}
