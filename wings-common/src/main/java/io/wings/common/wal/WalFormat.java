package io.wings.common.wal;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The frame of a segment, version 1: fixed header, blocks, footer, fixed trailer. */
final class WalFormat {
  static final int VERSION = 1;

  /** Magic, version, CRC32C of both. */
  static final int HEADER_BYTES = 16;

  /** Footer length, version, CRC32C of the footer and both, magic. */
  static final int TRAILER_BYTES = 20;

  /** Every block begins and ends at a multiple of this. */
  static final int ALIGNMENT = 8;

  /** Largest footer, in bytes. */
  static final int MAX_FOOTER_BYTES = 192 << 20;

  /** Entries of a segment. */
  static final int MAX_ENTRIES = 65_536;

  /** Decompressed body of a batch, in bytes. */
  static final int MAX_BATCH_RAW_BYTES = 256 << 20;

  private static final byte[] MAGIC = "WINGSWAL".getBytes(StandardCharsets.US_ASCII);

  private WalFormat() {}

  static byte[] header() {
    byte[] header = new byte[HEADER_BYTES];
    littleEndian(header)
        .put(MAGIC)
        .putInt(VERSION)
        .putInt(crc32c(headerStart(), 0, HEADER_BYTES - 4));
    return header;
  }

  private static byte[] headerStart() {
    byte[] start = new byte[HEADER_BYTES - 4];
    littleEndian(start).put(MAGIC).putInt(VERSION);
    return start;
  }

  static byte[] trailer(byte[] footer) {
    byte[] trailer = new byte[TRAILER_BYTES];
    ByteBuffer bytes = littleEndian(trailer).putInt(footer.length).putInt(VERSION);
    bytes.putInt(footerCrc(ByteBuffer.wrap(footer), trailer, 0)).put(MAGIC);
    return trailer;
  }

  /** Checks the object's first {@link #HEADER_BYTES} bytes. */
  static void checkHeader(String where, byte[] bytes) {
    if (bytes.length < HEADER_BYTES) {
      throw corrupt(where, "it is shorter than its header");
    }
    ByteBuffer header = littleEndian(bytes);
    checkMagic(where, header, 0);
    checkVersion(where, header.getInt(MAGIC.length));
    if (crc32c(bytes, 0, HEADER_BYTES - 4) != header.getInt(HEADER_BYTES - 4)) {
      throw corrupt(where, "the header's CRC is wrong");
    }
  }

  /**
   * Length of the footer, read from the trailer.
   *
   * @param tail the object's last bytes
   * @param size of the whole object
   */
  static int footerLength(String where, byte[] tail, long size) {
    if (size < HEADER_BYTES + TRAILER_BYTES || tail.length < TRAILER_BYTES) {
      throw corrupt(where, "with " + size + " bytes it is shorter than header and trailer");
    }
    ByteBuffer bytes = littleEndian(tail);
    int start = tail.length - TRAILER_BYTES;
    checkMagic(where, bytes, start + 12);
    checkVersion(where, bytes.getInt(start + 4));
    int length = bytes.getInt(start);
    if (length < 0 || length > Math.min(MAX_FOOTER_BYTES, size - HEADER_BYTES - TRAILER_BYTES)) {
      throw corrupt(
          where, "its footer would have %d bytes of an object of %d".formatted(length, size));
    }
    return length;
  }

  /**
   * Checks the footer's CRC.
   *
   * @param tail the object's last bytes, at least footer and trailer
   * @return the footer
   */
  static ByteBuffer footer(String where, byte[] tail, int length) {
    int trailer = tail.length - TRAILER_BYTES;
    ByteBuffer footer = ByteBuffer.wrap(tail, trailer - length, length).slice();
    int expected = littleEndian(tail).getInt(trailer + 8);
    if (footerCrc(footer.duplicate(), tail, trailer) != expected) {
      throw corrupt(where, "the footer's CRC is wrong");
    }
    return footer;
  }

  static int crc32c(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  static WingsException corrupt(String where, String what) {
    return corrupt(where, what, null);
  }

  static WingsException corrupt(String where, String what, @Nullable Throwable cause) {
    return new WingsException(
        ErrorKind.CORRUPT,
        "segment-corrupt",
        "segment " + where + " can't be read: " + what,
        cause);
  }

  private static int footerCrc(ByteBuffer footer, byte[] trailer, int offset) {
    CRC32C crc = new CRC32C();
    crc.update(footer);
    crc.update(trailer, offset, 8);
    return (int) crc.getValue();
  }

  private static void checkMagic(String where, ByteBuffer bytes, int at) {
    for (int i = 0; i < MAGIC.length; i++) {
      if (bytes.get(at + i) != MAGIC[i]) {
        throw corrupt(where, "it doesn't begin and end with WINGSWAL");
      }
    }
  }

  private static void checkVersion(String where, int version) {
    if (version != VERSION) {
      throw new WingsException(
          ErrorKind.CORRUPT,
          "segment-version-unknown",
          "segment %s has format version %s; this program reads version %d"
              .formatted(where, Integer.toUnsignedString(version), VERSION));
    }
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
