package io.wings.common.cluster;

/** Text from outside, made safe for a log line or an error: no control characters, bounded. */
public final class Printable {
  private static final int MAX_CHARS = 200;

  private Printable() {}

  public static String of(String text) {
    StringBuilder safe = new StringBuilder(Math.min(text.length(), MAX_CHARS) + 1);
    text.codePoints()
        .limit(MAX_CHARS)
        .forEach(c -> safe.appendCodePoint(Character.isISOControl(c) ? '?' : c));
    return text.codePointCount(0, text.length()) > MAX_CHARS ? safe + "…" : safe.toString();
  }
}
