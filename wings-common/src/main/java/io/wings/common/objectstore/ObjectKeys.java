package io.wings.common.objectstore;

/** The shape of keys, the same for every store. */
public final class ObjectKeys {
  /** In characters; S3 takes 1,024 bytes, a prefix included. */
  public static final int MAX_LENGTH = 800;

  /** In characters; file systems take names of 255 bytes, a version included. */
  public static final int MAX_SEGMENT_LENGTH = 200;

  private static final String SHAPE =
      "segments of A-Z a-z 0-9 . _ = - that don't begin with a dot, with / between them";

  private ObjectKeys() {}

  /**
   * Returns {@code key}.
   *
   * @throws IllegalArgumentException unless it is a key; keys are made by Wings, never by a client,
   *     so this is a fault of the program
   */
  public static String requireKey(String key) {
    return require(key, "key", key.isEmpty() || key.endsWith("/"));
  }

  /**
   * As {@link #requireKey}, for the prefix and the start of a listing: the beginning of a key, also
   * where it ends in the middle of a segment or is empty.
   */
  public static String requirePrefix(String prefix) {
    return require(prefix, "prefix", false);
  }

  private static String require(String text, String what, boolean cutOff) {
    if (cutOff || text.length() > MAX_LENGTH || !areSegments(text)) {
      throw new IllegalArgumentException(
          "a %s is %s, of at most %d characters each and %d in all, got \"%s\""
              .formatted(what, SHAPE, MAX_SEGMENT_LENGTH, MAX_LENGTH, text));
    }
    return text;
  }

  /** By hand: every call of a store comes by, and a regular expression takes longer than a map. */
  private static boolean areSegments(String text) {
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '/' && length > 0) {
        length = 0;
      } else if (isName(c) && !(c == '.' && length == 0) && length < MAX_SEGMENT_LENGTH) {
        length++;
      } else {
        return false;
      }
    }
    return true;
  }

  private static boolean isName(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= '0' && c <= '9')
        || (c >= 'A' && c <= 'Z')
        || c == '.'
        || c == '_'
        || c == '='
        || c == '-';
  }
}
