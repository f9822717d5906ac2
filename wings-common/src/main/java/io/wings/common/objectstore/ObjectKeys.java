package io.wings.common.objectstore;

import java.util.regex.Pattern;

/** The shape of keys, the same for every store. */
public final class ObjectKeys {
  /** In characters; S3 takes 1,024 bytes, a prefix included. */
  public static final int MAX_LENGTH = 800;

  /** In characters; file systems take names of 255 bytes, a version included. */
  public static final int MAX_SEGMENT_LENGTH = 200;

  /** A segment doesn't begin with a dot: no {@code ..}, and hidden files are the local store's. */
  private static final Pattern KEY =
      Pattern.compile("[A-Za-z0-9_=-][A-Za-z0-9._=-]*(/[A-Za-z0-9_=-][A-Za-z0-9._=-]*)*");

  /** A key, or the beginning of one, also where it ends in the middle of a segment or is empty. */
  private static final Pattern PREFIX =
      Pattern.compile("([A-Za-z0-9_=-][A-Za-z0-9._=-]*/)*([A-Za-z0-9_=-][A-Za-z0-9._=-]*)?");

  private ObjectKeys() {}

  /**
   * Returns {@code key}.
   *
   * @throws IllegalArgumentException unless it is a key; keys are made by Wings, never by a client,
   *     so this is a fault of the program
   */
  public static String requireKey(String key) {
    require(key, KEY, "key");
    for (String segment : key.split("/", -1)) {
      if (segment.length() > MAX_SEGMENT_LENGTH) {
        throw new IllegalArgumentException(
            "a key's segment has at most " + MAX_SEGMENT_LENGTH + " characters: " + key);
      }
    }
    return key;
  }

  /** As {@link #requireKey}, for the prefix and the start of a listing. */
  public static String requirePrefix(String prefix) {
    return require(prefix, PREFIX, "prefix");
  }

  private static String require(String text, Pattern shape, String what) {
    if (text.length() > MAX_LENGTH || !shape.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "a %s matches %s and has at most %d characters, got \"%s\""
              .formatted(what, shape.pattern(), MAX_LENGTH, text));
    }
    return text;
  }
}
