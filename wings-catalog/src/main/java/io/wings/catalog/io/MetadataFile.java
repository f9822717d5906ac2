package io.wings.catalog.io;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPInputStream;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableMetadataParser.Codec;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * A table's metadata as far as a limit: an error comes before a reader has taken in more, also of a
 * compressed file that unfolds to more.
 */
public final class MetadataFile implements InputFile {
  /** What a commit may write, uncompressed. {@code docs/operations.md} says why so much. */
  public static final int MAX_WRITTEN_BYTES = 32 * 1024 * 1024;

  /** What is read, uncompressed: larger, so that what others have written can be shrunk. */
  public static final int MAX_READ_BYTES = 64 * 1024 * 1024;

  private static final int CHUNK_BYTES = 64 * 1024;

  private final InputFile file;

  private MetadataFile(InputFile file) {
    this.file = file;
  }

  /** The file, within the limit if Iceberg could take it for a table's metadata. */
  static InputFile capped(InputFile file) {
    return file.location().contains(TableMetadataParser.getFileExtension(Codec.NONE))
        ? new MetadataFile(file)
        : file;
  }

  @Override
  public SeekableInputStream newStream() {
    if (Codec.fromFileName(location()) == Codec.NONE) {
      return new Counted(file.newStream());
    }
    try (SeekableInputStream in = new Counted(file.newStream())) {
      byte[] bytes = in.readAllBytes();
      checkUnfolded(bytes);
      return new Bytes(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("can't read " + location(), e);
    }
  }

  private void checkUnfolded(byte[] bytes) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    long unfolded = 0;
    long counted = bytes.length / MetadataRoom.CHUNK_BYTES;
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        unfolded += read;
        if (unfolded > MAX_READ_BYTES) {
          throw tooLarge();
        }
        long more = unfolded / MetadataRoom.CHUNK_BYTES - counted;
        if (more > 0) {
          MetadataRoom.take((int) more);
          counted += more;
        }
      }
    }
  }

  private WingsException tooLarge() {
    return WingsException.invalid(
        "metadata-too-large",
        ("%s has more than %d MiB, the most that is read of a table's metadata; register an"
                + " earlier one, or make it smaller with an engine that uses another catalog")
            .formatted(Printable.of(location()), MAX_READ_BYTES / (1024 * 1024)));
  }

  @Override
  public long getLength() {
    return file.getLength();
  }

  @Override
  public String location() {
    return file.location();
  }

  @Override
  public boolean exists() {
    return file.exists();
  }

  /** A file as it is read. */
  private final class Counted extends SeekableInputStream {
    private final SeekableInputStream in;
    private long total;

    Counted(SeekableInputStream in) {
      this.in = in;
    }

    private int count(int read) {
      long before = total / MetadataRoom.CHUNK_BYTES;
      total += Math.max(0, read);
      MetadataRoom.take((int) (total / MetadataRoom.CHUNK_BYTES - before));
      if (total > MAX_READ_BYTES) {
        throw tooLarge();
      }
      return read;
    }

    @Override
    public int read() throws IOException {
      int one = in.read();
      int _ = count(one < 0 ? 0 : 1);
      return one;
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
      return count(in.read(into, from, most));
    }

    @Override
    public long getPos() throws IOException {
      return in.getPos();
    }

    @Override
    public void seek(long to) throws IOException {
      in.seek(to);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /** A compressed file as it was checked: it is not read again, it may be another by then. */
  private static final class Bytes extends SeekableInputStream {
    private final byte[] bytes;
    private int at;

    Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public long getPos() {
      return at;
    }

    @Override
    public void seek(long to) throws IOException {
      if (to < 0 || to > bytes.length) {
        throw new EOFException("no byte " + to);
      }
      at = (int) to;
    }

    @Override
    public int read() {
      return at < bytes.length ? bytes[at++] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int from, int most) {
      if (most == 0) {
        return 0;
      }
      int read = Math.min(most, bytes.length - at);
      if (read <= 0) {
        return -1;
      }
      System.arraycopy(bytes, at, into, from, read);
      at += read;
      return read;
    }

    @Override
    public int available() {
      return bytes.length - at;
    }
  }
}
