package io.wings.common.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The process's resident memory as the kernel counts it: native buffers, DuckDB and threads
 * included. From {@code /proc/self/status}; absent where there is none.
 */
public final class ProcessMemory implements MeterBinder {
  private static final Path STATUS = Path.of("/proc/self/status");

  /** Resident set now, in bytes. */
  public static OptionalLong resident() {
    return read("VmRSS:");
  }

  /** The largest resident set since the process started, in bytes. */
  public static OptionalLong residentPeak() {
    return read("VmHWM:");
  }

  private static OptionalLong read(String field) {
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith(field)) {
          String kibibytes = line.substring(field.length()).replace("kB", "").strip();
          return OptionalLong.of(Long.parseLong(kibibytes) * 1024);
        }
      }
      return OptionalLong.empty();
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    if (resident().isEmpty()) {
      return;
    }
    Gauge.builder("process.resident.memory", () -> orNaN(resident()))
        .description("Resident set size of the process")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("process.resident.memory.peak", () -> orNaN(residentPeak()))
        .description("Largest resident set size since the process started")
        .baseUnit("bytes")
        .register(registry);
  }

  private static double orNaN(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : Double.NaN;
  }
}
