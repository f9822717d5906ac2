package io.wings.cli.verify;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** The multiset of rows that a sender sent, as a file of 8-byte big-endian hashes. */
public final class RowHashes implements AutoCloseable {
  /**
   * Hashes that fit one array, and so one comparison: a limit of the check, about two billion rows.
   */
  private static final long MAX_BYTES = Integer.MAX_VALUE - 16L;

  private final DataOutputStream out;

  private RowHashes(DataOutputStream out) {
    this.out = out;
  }

  /** Creates {@code file}, or replaces it. */
  public static RowHashes create(Path file) throws IOException {
    return new RowHashes(
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)));
  }

  /** The hashes of a batch's rows, in order. */
  public static long[] of(VectorSchemaRoot batch) {
    long[] hashes = new long[batch.getRowCount()];
    Arrays.fill(hashes, RowHash.start());
    for (FieldVector column : batch.getFieldVectors()) {
      for (int row = 0; row < hashes.length; row++) {
        hashes[row] = RowHash.fold(hashes[row], ArrowValue.read(column, row));
      }
    }
    return hashes;
  }

  /** Adds rows to the multiset. */
  public void add(long[] hashes) throws IOException {
    for (long hash : hashes) {
      out.writeLong(hash);
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  /** All hashes of {@code file}, sorted. */
  static long[] sorted(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      if (channel.size() > MAX_BYTES) {
        throw new IOException(
            "too many rows to compare: " + channel.size() / Long.BYTES + " hashes in " + file);
      }
      ByteBuffer bytes = ByteBuffer.allocate((int) channel.size());
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // reads until the buffer is full
      }
      LongBuffer longs = bytes.flip().asLongBuffer();
      long[] hashes = new long[longs.remaining()];
      longs.get(hashes);
      Arrays.sort(hashes);
      return hashes;
    }
  }
}
