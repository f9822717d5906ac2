package io.wings.common.queue;

import io.wings.common.error.WingsException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Work to be done once.
 *
 * @param kind who can do it, e.g. {@code materialize}; {@code [a-z][a-z0-9-]{0,62}}
 * @param key what it is: of two tasks with the same key only one exists; begins with the kind by
 *     custom; 1 to 512 characters
 * @param group at most one task of a group is leased at a time; null: no limit
 * @param payload hints for the worker, small; where a key that exists is scheduled again, the newer
 *     payload wins; at most 4 KiB in all
 * @param delay the earliest time to run it, from now; cut to the longest back-off
 */
public record TaskSpec(
    String kind, String key, @Nullable String group, Map<String, String> payload, Duration delay) {
  public static final int MAX_KEY_CHARS = 512;
  public static final int MAX_PAYLOAD_CHARS = 4096;

  private static final Pattern KIND = Pattern.compile("[a-z][a-z0-9-]{0,62}");

  public TaskSpec {
    if (!KIND.matcher(kind).matches()) {
      throw invalid("kind must match " + KIND + ", got '" + shorten(kind) + "'");
    }
    requireName("key", key);
    if (group != null) {
      requireName("group", group);
    }
    if (delay.isNegative()) {
      throw invalid("delay must not be negative, got " + delay);
    }
    long chars = 0;
    for (Map.Entry<String, String> entry : payload.entrySet()) {
      requireWhole("payload", entry.getKey());
      requireWhole("payload", entry.getValue());
      chars += entry.getKey().length() + entry.getValue().length();
    }
    if (chars > MAX_PAYLOAD_CHARS) {
      throw invalid("payload must be at most " + MAX_PAYLOAD_CHARS + " characters, got " + chars);
    }
    payload = Payloads.sorted(payload);
  }

  private static void requireName(String what, String value) {
    if (value.isEmpty() || value.length() > MAX_KEY_CHARS) {
      throw invalid(
          what + " must have 1 to " + MAX_KEY_CHARS + " characters, got " + value.length());
    }
    requireWhole(what, value);
  }

  /** Half a surrogate pair has no UTF-8 form: it could neither be sent nor written. */
  private static void requireWhole(String what, String value) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
      throw invalid(what + " has half a surrogate pair");
    }
  }

  private static String shorten(String value) {
    return value.length() <= 64 ? value : value.substring(0, 64) + "…";
  }

  private static WingsException invalid(String detail) {
    return WingsException.invalid("invalid-task", detail);
  }
}
