package io.wings.common.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GoldenSegmentTest {
  private static byte[] resource(String name) throws IOException {
    try (InputStream in = GoldenSegmentTest.class.getResourceAsStream("/golden/wal-1/" + name)) {
      return in == null ? new byte[0] : in.readAllBytes();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"entries.wal", "types.wal", "checkpoint.wal"})
  void writesTheGoldenBytes(String name) throws IOException {
    assertArrayEquals(resource(name), GoldenSegments.all().get(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"entries", "types", "checkpoint"})
  void readsTheGoldenBytes(String name) throws IOException {
    String expected = new String(resource(name + ".txt"), StandardCharsets.UTF_8);
    assertEquals(
        expected,
        String.join("\n", StoredSegment.read(resource(name + ".wal"), GoldenSegments::text))
            + "\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"entries.wal", "types.wal", "checkpoint.wal"})
  void detectsEveryTruncation(String name) throws IOException {
    byte[] golden = resource(name);
    long number = StoredSegment.number(golden);
    for (int length = 0; length < golden.length; length++) {
      byte[] cut = Arrays.copyOf(golden, length);
      WingsException e =
          assertThrows(WingsException.class, () -> StoredSegment.readAll(cut, number));
      assertEquals(ErrorKind.CORRUPT, e.kind());
      byte[] tail = Arrays.copyOfRange(golden, length + 1, golden.length);
      assertThrows(WingsException.class, () -> StoredSegment.readAll(tail, number));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"entries.wal", "types.wal", "checkpoint.wal"})
  void detectsEveryFlippedBit(String name) throws IOException {
    byte[] bytes = resource(name);
    long number = StoredSegment.number(bytes);
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      WingsException e =
          assertThrows(WingsException.class, () -> StoredSegment.readAll(bytes, number));
      assertEquals(ErrorKind.CORRUPT, e.kind());
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"entries.wal", "types.wal", "checkpoint.wal"})
  void refusesAnUnknownVersionByName(String name) throws IOException {
    byte[] bytes = resource(name);
    long number = StoredSegment.number(bytes);
    bytes[bytes.length - WalFormat.TRAILER_BYTES + 4] = 2;
    WingsException e =
        assertThrows(WingsException.class, () -> StoredSegment.readAll(bytes, number));
    assertEquals("segment-version-unknown", e.code());
    assertTrue(String.valueOf(e.getMessage()).contains("version 2"));
  }
}
