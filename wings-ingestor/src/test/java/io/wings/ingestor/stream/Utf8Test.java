package io.wings.ingestor.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The validator against the JDK's own decoder. */
class Utf8Test {
  private static boolean jdk(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)) != null;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private static boolean ours(byte[] bytes) {
    return Utf8.isValid(ByteBuffer.wrap(bytes), 0, bytes.length);
  }

  @Test
  void agreesWithTheJdkOnEveryCharacter() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
        assertTrue(ours(Character.toString(c).getBytes(StandardCharsets.UTF_8)));
      }
    }
  }

  @Test
  void agreesWithTheJdkOnRandomBytes() {
    Random random = new Random(1);
    int[] interesting = {
      0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xff
    };
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[1 + random.nextInt(12)];
      for (int b = 0; b < bytes.length; b++) {
        bytes[b] =
            (byte)
                (random.nextBoolean()
                    ? interesting[random.nextInt(interesting.length)]
                    : random.nextInt(256));
      }
      assertEquals(jdk(bytes), ours(bytes));
    }
  }

  @Test
  void looksAtNothingOutsideTheRange() {
    ByteBuffer bytes = ByteBuffer.wrap("aé".getBytes(StandardCharsets.UTF_8));
    assertTrue(Utf8.isValid(bytes, 0, 1));
    assertFalse(Utf8.isValid(bytes, 0, 2));
    assertFalse(Utf8.isValid(bytes, 2, 3));
    assertTrue(Utf8.isValid(bytes, 3, 3));
  }
}
