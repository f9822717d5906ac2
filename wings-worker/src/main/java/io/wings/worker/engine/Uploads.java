package io.wings.worker.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.io.OutputFile;
import org.jspecify.annotations.Nullable;

/**
 * Sends finished files to the table's location, a few at a time, and removes the local copies. The
 * names of the files, and their order in the result, are those in which they were handed over. The
 * first failure stops all; files that were sent stay, the pass's ledger knows their prefix.
 */
final class Uploads implements AutoCloseable {
  /** Below the 1,024 bytes of a key that S3 takes. */
  private static final int MAX_LOCATION_BYTES = 1_000;

  /** Of a file or a folder, on file systems. */
  private static final int MAX_NAME_BYTES = 255;

  private final AppendTarget target;
  private final int sortOrderId;
  private final Threads threads;
  private final int permits;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<Thread> running = new HashSet<>();
  private final Map<Integer, DataFile> sent = new TreeMap<>();
  private final DataFiles.Builder builder;
  private int handedOver;
  private int active;
  private boolean stopped;
  private @Nullable Throwable failure;

  Uploads(AppendTarget target, int sortOrderId, Threads threads, int permits) {
    this.target = target;
    this.sortOrderId = sortOrderId;
    this.threads = threads;
    this.permits = permits;
    this.builder = DataFiles.builder(target.table().spec());
  }

  /** Takes a file over; waits while as many as allowed are on their way. */
  void send(LocalFile file) throws InterruptedException {
    int number;
    lock.lockInterruptibly();
    try {
      while (active >= permits && failure == null) {
        changed.await();
      }
      throwFailure();
      active++;
      number = ++handedOver;
    } finally {
      lock.unlock();
    }
    threads.start("wings-upload-" + number, () -> run(number, file));
  }

  private void run(int number, LocalFile file) {
    boolean go;
    lock.lock();
    try {
      go = !stopped;
      running.add(Thread.currentThread());
    } finally {
      lock.unlock();
    }
    @Nullable String uploaded = null;
    @Nullable Throwable thrown = null;
    try {
      uploaded = go ? upload(number, file) : null;
    } catch (IOException | RuntimeException | Error e) {
      thrown = e;
    }
    lock.lock();
    try {
      running.remove(Thread.currentThread());
      active--;
      if (uploaded != null) {
        try {
          sent.put(number, describe(file, uploaded));
        } catch (RuntimeException e) {
          thrown = e;
        }
      }
      if (thrown != null && failure == null) {
        failure = thrown;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private String upload(int number, LocalFile file) throws IOException {
    String location =
        location(file.partition(), "%s-%05d.parquet".formatted(target.filePrefix(), number));
    try {
      copy(file, target.table().io().newOutputFile(location));
    } catch (WingsException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw WingsException.unavailable(
          "upload-failed", location + " could not be written: " + e, e);
    }
    Files.delete(file.path());
    return location;
  }

  /**
   * Where the table's location provider would have the file, unless its partition's values make
   * that longer than stores take: then without them. They are in the manifest; the name is the
   * file's alone wherever it lies.
   */
  private String location(PartitionData partition, String name) {
    PartitionSpec spec = target.table().spec();
    LocationProvider locations = target.table().locationProvider();
    if (spec.isPartitioned()) {
      String location = locations.newDataLocation(spec, partition, name);
      if (isShort(location)) {
        return location;
      }
    }
    return locations.newDataLocation(name);
  }

  private static boolean isShort(String location) {
    return location.length() <= MAX_LOCATION_BYTES
        && location.getBytes(UTF_8).length <= MAX_LOCATION_BYTES
        && Arrays.stream(location.split("/", -1))
            .allMatch(part -> part.getBytes(UTF_8).length <= MAX_NAME_BYTES);
  }

  private static void copy(LocalFile file, OutputFile target) throws IOException {
    try (InputStream in = Files.newInputStream(file.path());
        OutputStream out = target.create()) {
      long copied = in.transferTo(out);
      if (copied != file.bytes()) {
        throw new IOException(
            "a data file changed in scratch space: expected "
                + file.bytes()
                + " bytes, got "
                + copied);
      }
    }
  }

  /** Under the lock: there is one builder, since making one is slow. */
  private DataFile describe(LocalFile file, String location) {
    builder.clear();
    builder
        .withPath(location)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(file.bytes())
        .withMetrics(file.metrics())
        .withSplitOffsets(file.splitOffsets())
        .withSortOrderId(sortOrderId);
    if (target.table().spec().isPartitioned()) {
      builder.withPartition(file.partition());
    }
    return builder.build();
  }

  /** Waits for all that was handed over. */
  List<DataFile> finish() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (active > 0 && failure == null) {
        changed.await();
      }
      throwFailure();
      return new ArrayList<>(sent.values());
    } finally {
      lock.unlock();
    }
  }

  private void throwFailure() {
    switch (failure) {
      case null -> {}
      case WingsException e -> throw e;
      case Error e -> throw e;
      default ->
          throw WingsException.unavailable(
              "engine-failed", "a data file could not be uploaded", failure);
    }
  }

  /** Stops what is still on its way and waits until nothing is. */
  @Override
  public void close() {
    boolean interrupted = false;
    lock.lock();
    try {
      stopped = true;
      while (active > 0) {
        running.forEach(Thread::interrupt);
        try {
          changed.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
