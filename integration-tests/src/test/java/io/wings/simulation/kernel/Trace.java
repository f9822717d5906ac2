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
import java.util.function.IntPredicate;
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

  private static final int HEX_ID = 32;
  private static final int UUID_LENGTH = 36;
  private static final int SHORTEST_NUMBER = 17;
  private static final int LONGEST_NUMBER = 19;

  private final @Nullable Writer out;
  private final Map<String, String> ids = new HashMap<>();
  private final Deque<Line> last = new ArrayDeque<>();
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
    return last.stream().map(Line::toString).toList();
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
    Line line = new Line(now, who, text);
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
    StringBuilder normalised = null;
    int copied = 0;
    int at = 0;
    while (at < text.length()) {
      int length = idAt(text, at);
      if (length == 0) {
        at++;
        continue;
      }
      if (normalised == null) {
        normalised = new StringBuilder(text.length());
      }
      String id = text.substring(at, at + length);
      normalised
          .append(text, copied, at)
          .append(ids.computeIfAbsent(id, _ -> "#" + (ids.size() + 1)));
      at += length;
      copied = at;
    }
    return normalised == null ? text : normalised.append(text, copied, text.length()).toString();
  }

  /** How long the id is that begins here: a uuid, 32 hexadecimal digits, or a snapshot's; or 0. */
  private static int idAt(String text, int at) {
    int hex = run(text, at, UUID_LENGTH, Trace::isHex);
    if (hex >= HEX_ID) {
      return HEX_ID;
    }
    if (hex == 8 && isUuid(text, at)) {
      return UUID_LENGTH;
    }
    if (text.charAt(at) == '0' || !isDigit(text.charAt(at))) {
      return 0;
    }
    int digits = run(text, at, LONGEST_NUMBER + 1, Trace::isDigit);
    boolean whole = at == 0 || !isDigit(text.charAt(at - 1));
    return whole && digits >= SHORTEST_NUMBER && digits <= LONGEST_NUMBER ? digits : 0;
  }

  private static boolean isUuid(String text, int at) {
    if (text.length() < at + UUID_LENGTH) {
      return false;
    }
    for (int i = 0; i < UUID_LENGTH; i++) {
      char c = text.charAt(at + i);
      boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
      if (dash ? c != '-' : !isHex(c)) {
        return false;
      }
    }
    return true;
  }

  private static int run(String text, int at, int most, IntPredicate of) {
    int end = Math.min(text.length(), at + most);
    int i = at;
    while (i < end && of.test(text.charAt(i))) {
      i++;
    }
    return i - at;
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isHex(int c) {
    return isDigit(c) || (c >= 'a' && c <= 'f');
  }

  private record Line(long now, String who, String text) {
    @Override
    public String toString() {
      return "%12.6f %s %s".formatted(now / 1e9, who, text);
    }
  }

  @Override
  public void close() throws IOException {
    if (out != null) {
      out.close();
    }
  }
}
