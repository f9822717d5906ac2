package io.wings.simulation.kernel;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a run: every choice of the scheduler and every operation on the store, in order,
 * as a hash and, where asked for, as text. Ids are renumbered by their first appearance, so that
 * two runs that differ in nothing but ids are equal.
 */
public final class Trace implements Closeable {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  /** The last lines, for the report of a violation. */
  private static final int KEPT_LINES = 400;

  /** A uuid, 32 hexadecimal digits, or a snapshot's id. */
  private static final Pattern ID =
      Pattern.compile(
          "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}"
              + "|(?<![0-9])[1-9][0-9]{16,18}(?![0-9])");

  private final @Nullable Writer out;
  private final Map<String, String> ids = new HashMap<>();
  private final Deque<String> last = new ArrayDeque<>();
  private long hash = FNV_OFFSET;
  private long lines;

  private Trace(@Nullable Writer out) {
    this.out = out;
  }

  /** A hash, and the last lines. */
  public static Trace hashed() {
    return new Trace(null);
  }

  /** Also the whole text, to {@code out}, which is closed with this. */
  public static Trace written(Writer out) {
    return new Trace(out);
  }

  public long hash() {
    return hash;
  }

  public long lines() {
    return lines;
  }

  /** The end of the text. */
  public List<String> last() {
    return List.copyOf(last);
  }

  void step(long now, String thread, int picked, int of) {
    mix(now);
    mix(((long) picked << 32) | of);
    mix(thread.hashCode());
  }

  /** One line of text. */
  public void line(long now, String who, String what) {
    String text = normalised(what);
    mix(now);
    mix(who.hashCode());
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * FNV_PRIME;
    }
    lines++;
    String line = "%12.6f %s %s".formatted(now / 1e9, who, text);
    last.addLast(line);
    if (last.size() > KEPT_LINES) {
      last.removeFirst();
    }
    if (out != null) {
      try {
        out.write(line + "\n");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void mix(long value) {
    hash = (hash ^ value) * FNV_PRIME;
    hash ^= hash >>> 29;
  }

  private String normalised(String text) {
    return ID.matcher(text)
        .replaceAll(id -> ids.computeIfAbsent(id.group(), _ -> "#" + (ids.size() + 1)));
  }

  @Override
  public void close() throws IOException {
    if (out != null) {
      out.close();
    }
  }
}
