package io.wings.common.objectstore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Faults by a file's content, read anew at every put, so that a test makes a running process's
 * store sick and well again: {@code slow 5000} (every put waits so many milliseconds first), {@code
 * full} (no put finds space), {@code every 3} (every 3rd put ends with 503); empty or no file:
 * well.
 */
public final class FaultFile implements Faults {
  private final Path file;
  private final AtomicLong puts = new AtomicLong();

  public FaultFile(Path file) {
    this.file = file;
  }

  @Override
  public Fault onPut(String key, PutCondition condition) {
    String[] words = content().split(" ", 2);
    return switch (words[0]) {
      case "" -> new Fault.None();
      case "full" -> new Fault.NoSpace();
      case "slow" -> new Fault.Slow(Duration.ofMillis(Long.parseLong(words[1])));
      case "every" ->
          puts.incrementAndGet() % Long.parseLong(words[1]) == 0
              ? new Fault.Throttled()
              : new Fault.None();
      default -> throw new IllegalStateException("unknown fault in " + file + ": " + words[0]);
    };
  }

  private String content() {
    try {
      return Files.readString(file).strip();
    } catch (NoSuchFileException _) {
      return "";
    } catch (IOException e) {
      throw new StoreException("fault file " + file + " can't be read", false, e);
    }
  }
}
