package io.wings.cli.role;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One {@code wings dev} at a time on a directory: a lock that ends with the process. */
final class DirectoryLock implements AutoCloseable {
  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes the directory, which is made if need be.
   *
   * @throws WingsException {@code data-in-use} when another process has it
   */
  static DirectoryLock take(Path directory) throws IOException {
    Files.createDirectories(directory);
    FileChannel channel =
        FileChannel.open(
            directory.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (channel.tryLock() == null) {
      channel.close();
      throw WingsException.invalid(
          "data-in-use",
          directory.toAbsolutePath().normalize()
              + " is used by another `wings dev`; stop it, or choose another --data");
    }
    return new DirectoryLock(channel);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
