package io.wings.common.objectstore.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Mutual exclusion by key, across threads, handles and processes.
 *
 * <p>POSIX locks belong to a process and end when it closes any descriptor of the file; so within
 * this process, a lock file is open only while the JVM-wide lock of its path is held.
 */
final class KeyLocks {
  /** Lock files of a store. */
  static final int STRIPES = 64;

  private static final ConcurrentHashMap<Path, ReentrantLock> OF_PROCESS =
      new ConcurrentHashMap<>();

  private final Path directory;

  KeyLocks(Path root) {
    this.directory = root.resolve(".locks");
  }

  interface Work<T> {
    T run() throws IOException;
  }

  <T> T locked(String key, Work<T> work) throws IOException {
    Path file = directory.resolve("%02d".formatted(Math.floorMod(key.hashCode(), STRIPES)));
    ReentrantLock lock = OF_PROCESS.computeIfAbsent(file, _ -> new ReentrantLock());
    lock.lock();
    try {
      Files.createDirectories(directory);
      try (FileChannel channel =
              FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock _ = channel.lock()) {
        return work.run();
      }
    } finally {
      lock.unlock();
    }
  }
}
