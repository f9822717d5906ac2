package io.wings.ingestor.stream;

import static io.wings.ingestor.stream.Crafted.field;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.Test;

/** Compressed bodies, honest and not. */
class CompressionTest {
  private static final Field INTS = field("a", new ArrowType.Int(32, true));

  /**
   * What {@code pyarrow.compress(raw, codec="lz4")} makes of 160,000 bytes of a pattern of 40:
   * three blocks of at most 64 KiB, of which the later refer to the earlier.
   */
  private static final String LINKED =
      "04224d184040c033010000ff190000000102030507090b0e1114181c2024292e33393f454b525960"
          + "6870788089929ba5afb9c3ced92800ffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc0501114181c200a01"
          + "00000ff0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffe85068707880897b0000000f2800ffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffff5950afb9c3ced900000000";

  private static byte[] little(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(values);
    return bytes.array();
  }

  private static byte[] prefixed(long length, byte[] content) {
    return ByteBuffer.allocate(8 + content.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(length)
        .put(content)
        .array();
  }

  private static Frames batch(byte codec, byte[] data) {
    return Crafted.rows(2).node(2, 0).none().buffer(data).compressed(codec).batch();
  }

  private static void assertRefused(String expected, byte codec, byte[] data) {
    String message = Decoded.refusal(INTS, batch(codec, data));
    assertTrue(message.startsWith(expected), message);
  }

  @Test
  void readsZstdLz4AndBuffersLeftAsTheyAre() {
    List<List<Object>> expected = List.of(List.of(new BigDecimal(5), new BigDecimal(6)));
    byte[] raw = little(5, 6);
    byte[] zstd = prefixed(8, Zstd.compress(raw));
    assertEquals(expected, Decoded.values(INTS, batch(CompressionType.ZSTD, zstd)));
    byte[] plain = prefixed(-1, raw);
    assertEquals(expected, Decoded.values(INTS, batch(CompressionType.ZSTD, plain)));
    byte[] lz4 = prefixed(8, lz4Stored(raw));
    assertEquals(expected, Decoded.values(INTS, batch(CompressionType.LZ4_FRAME, lz4)));
  }

  /** One block that is stored as it is. */
  private static byte[] lz4Stored(byte[] raw) {
    return ByteBuffer.allocate(7 + 4 + raw.length + 4)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(0x184D2204)
        .put((byte) 0x60)
        .put((byte) 0x40)
        .put((byte) 0x82)
        .putInt(raw.length | 0x8000_0000)
        .put(raw)
        .putInt(0)
        .array();
  }

  @Test
  void refusesABombBeforeItIsUnpacked() {
    byte[] bomb = Zstd.compress(new byte[64 << 20]);
    assertRefused("batch-too-large", CompressionType.ZSTD, prefixed(64 << 20, bomb));
    assertRefused("batch-too-large", CompressionType.ZSTD, prefixed(Long.MAX_VALUE, bomb));
    assertRefused("batch-malformed", CompressionType.ZSTD, prefixed(8, bomb));
    assertRefused("batch-malformed", CompressionType.ZSTD, prefixed(-2, bomb));
  }

  @Test
  void refusesBrokenBuffers() {
    byte[] zstd = Zstd.compress(little(5, 6));
    assertRefused("batch-malformed", CompressionType.ZSTD, new byte[] {1, 2, 3});
    assertRefused("batch-malformed", CompressionType.ZSTD, prefixed(9, zstd));
    assertRefused("batch-malformed", CompressionType.ZSTD, prefixed(8, new byte[] {1, 2, 3, 4}));
    assertRefused(
        "batch-malformed", CompressionType.ZSTD, prefixed(8, Arrays.copyOf(zstd, zstd.length - 3)));
    assertRefused("batch-malformed", CompressionType.LZ4_FRAME, prefixed(8, zstd));
    assertRefused("batch-malformed", CompressionType.LZ4_FRAME, prefixed(0, new byte[] {}));
    assertRefused("message-malformed", (byte) 9, prefixed(8, zstd));
  }

  @Test
  void readsLz4BlocksThatReferToEarlierOnes() {
    byte[] out = new byte[160_000];
    ByteBuffer frame =
        ByteBuffer.wrap(HexFormat.of().parseHex(LINKED)).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(out.length, Lz4Frame.decompress(frame, ByteBuffer.wrap(out)));
    byte[] expected = new byte[out.length];
    for (int i = 0; i < expected.length; i++) {
      int k = i % 40;
      expected[i] = (byte) (k * k / 7 % 251);
    }
    assertArrayEquals(expected, out);
  }

  @Test
  void staysWithinItsBuffersWhateverAnLz4FrameSays() {
    byte[] good = HexFormat.of().parseHex(LINKED);
    Random random = new Random(7);
    for (int i = 0; i < 2_000; i++) {
      byte[] bad = good.clone();
      for (int flips = random.nextInt(4); flips >= 0; flips--) {
        bad[7 + random.nextInt(bad.length - 7)] = (byte) random.nextInt();
      }
      ByteBuffer frame = ByteBuffer.wrap(bad).order(ByteOrder.LITTLE_ENDIAN);
      try {
        int written = Lz4Frame.decompress(frame, ByteBuffer.allocate(160_000));
        assertTrue(written >= 0 && written <= 160_000);
      } catch (IllegalArgumentException e) {
        assertTrue(String.valueOf(e.getMessage()).startsWith("lz4: "), e.getMessage());
      }
    }
  }

  @Test
  void refusesLz4FramesThatEndEarly() {
    byte[] good = HexFormat.of().parseHex(LINKED);
    for (int length = 0; length < good.length; length += 3) {
      ByteBuffer frame =
          ByteBuffer.wrap(Arrays.copyOf(good, length)).order(ByteOrder.LITTLE_ENDIAN);
      assertThrows(
          IllegalArgumentException.class,
          () -> Lz4Frame.decompress(frame, ByteBuffer.allocate(160_000)));
    }
  }
}
