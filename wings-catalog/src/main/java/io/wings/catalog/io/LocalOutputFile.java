package io.wings.catalog.io;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;

/** A local file to write: flushed to disk with its directory entry when it is closed. */
record LocalOutputFile(String location, Path path) implements OutputFile {
  private static final int BUFFER_BYTES = 64 * 1024;

  @Override
  public PositionOutputStream create() {
    return open(StandardOpenOption.CREATE_NEW);
  }

  @Override
  public PositionOutputStream createOrOverwrite() {
    return open(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
  }

  @Override
  public InputFile toInputFile() {
    return new LocalInputFile(location, path);
  }

  private PositionOutputStream open(OpenOption... how) {
    try {
      if (path.getParent() != null) {
        Files.createDirectories(path.getParent());
      }
      OpenOption[] options = new OpenOption[how.length + 1];
      System.arraycopy(how, 0, options, 0, how.length);
      options[how.length] = StandardOpenOption.WRITE;
      return new SyncedStream(FileChannel.open(path, options), path);
    } catch (FileAlreadyExistsException e) {
      throw new AlreadyExistsException(e, "there is a file at %s", location);
    } catch (IOException e) {
      throw new UncheckedIOException("can't create " + location, e);
    }
  }

  private static final class SyncedStream extends PositionOutputStream {
    private final FileChannel channel;
    private final Path path;
    private final OutputStream buffer;
    private long position;
    private boolean closed;

    SyncedStream(FileChannel channel, Path path) {
      this.channel = channel;
      this.path = path;
      this.buffer = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void write(int b) throws IOException {
      buffer.write(b);
      position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      buffer.write(bytes, offset, length);
      position += length;
    }

    @Override
    public void flush() throws IOException {
      buffer.flush();
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      try (channel) {
        buffer.flush();
        channel.force(true);
      }
      Path directory = path.getParent();
      if (directory != null) {
        try (FileChannel entry = FileChannel.open(directory, StandardOpenOption.READ)) {
          entry.force(true);
        }
      }
    }
  }
}
