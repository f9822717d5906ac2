package io.wings.common.auth;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a file says, read again within a second of its change. One that can't be read any more is
 * reported, and what the last good one said stays in force. Safe for several threads.
 */
final class ReloadedFile<T> {
  private static final Logger log = LoggerFactory.getLogger(ReloadedFile.class);

  static final long MAX_FILE_BYTES = 4 << 20;

  /** How long a change may go unnoticed. */
  static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  /** Between two lines of the log that say the same. */
  static final Duration REMINDER_INTERVAL = Duration.ofMinutes(1);

  private final Path file;
  private final String code;
  private final Function<String, T> reading;
  private final Time time;
  private final ReentrantLock checking = new ReentrantLock();
  private volatile T value;
  private volatile long checkedNanos;
  private Version version;
  private @Nullable String lastFailure;
  private long lastFailureNanos;

  /** What tells one state of the file from another. */
  private record Version(FileTime modified, long bytes, @Nullable Object key) {}

  /**
   * Reads the file.
   *
   * @param code of the error when it can't be read
   * @param reading what a text says
   * @throws WingsException what {@code reading} throws, or one with {@code code}
   */
  ReloadedFile(Path file, String code, Function<String, T> reading, Time time) {
    this.file = file;
    this.code = code;
    this.reading = reading;
    this.time = time;
    try {
      version = version();
      value = read();
    } catch (IOException e) {
      throw new WingsException(ErrorKind.INVALID, code, "can't read " + file, e);
    }
    checkedNanos = time.nanos();
  }

  /** Looks at the file though nobody asks what it says, until {@code lifecycle} ends. */
  void watch(Lifecycle lifecycle, Threads threads) {
    Thread watch =
        threads.start(
            "file-watch",
            () -> {
              try {
                while (true) {
                  time.sleep(CHECK_INTERVAL);
                  T _ = get();
                }
              } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
              }
            });
    AutoCloseable _ = lifecycle.add("watch of " + file, watch::interrupt);
  }

  T get() {
    if (time.since(checkedNanos).compareTo(CHECK_INTERVAL) >= 0 && checking.tryLock()) {
      try {
        readIfChanged();
      } finally {
        checkedNanos = time.nanos();
        checking.unlock();
      }
    }
    return value;
  }

  private void readIfChanged() {
    try {
      Version now = version();
      if (!now.equals(version)) {
        value = read();
        version = now;
        log.info("{} has changed and is in force", file);
      }
      lastFailure = null;
    } catch (IOException | WingsException e) {
      report(e);
    }
  }

  /** It is tried again each time: what it couldn't be read for may pass and leave it unchanged. */
  private void report(Exception failure) {
    boolean isNew = !failure.toString().equals(lastFailure);
    if (isNew || time.since(lastFailureNanos).compareTo(REMINDER_INTERVAL) >= 0) {
      lastFailure = failure.toString();
      lastFailureNanos = time.nanos();
      log.error("{} can't be read; the last good one stays in force", file, failure);
    }
  }

  private Version version() throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    return new Version(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
  }

  private T read() throws IOException {
    if (Files.size(file) > MAX_FILE_BYTES) {
      throw WingsException.invalid(code, file + " is larger than " + MAX_FILE_BYTES + " bytes");
    }
    return reading.apply(Files.readString(file));
  }
}
