package io.wings.common.wal;

/** Sizes of texts that go into a footer. */
final class Utf8 {
  private Utf8() {}

  /**
   * Bytes of {@code text} in UTF-8.
   *
   * @return -1 when it has an unpaired surrogate, which UTF-8 can't hold
   */
  static int length(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        bytes += 1;
      } else if (c < 0x800) {
        bytes += 2;
      } else if (!Character.isSurrogate(c)) {
        bytes += 3;
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        bytes += 4;
        i++;
      } else {
        return -1;
      }
    }
    return bytes;
  }
}
