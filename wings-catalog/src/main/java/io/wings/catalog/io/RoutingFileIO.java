package io.wings.catalog.io;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.StorageCredential;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.apache.iceberg.io.SupportsStorageCredentials;

/**
 * Local files and S3 objects, each location by its scheme; S3 with the key of the longest prefix
 * that a catalog vended one for, else with the tenant's own.
 */
final class RoutingFileIO
    implements SupportsPrefixOperations, SupportsBulkOperations, SupportsStorageCredentials {
  private static final long serialVersionUID = 1L;

  /** The prefix of every object. */
  private static final String ANY = "s3";

  private final transient LocalFileIO local = new LocalFileIO();
  private final transient S3Files s3;
  private final transient S3Options options;
  private final transient ReentrantLock lock = new ReentrantLock();
  private final transient Map<String, S3FileIO> opened = new LinkedHashMap<>();
  private transient volatile List<StorageCredential> vended = List.of();

  RoutingFileIO(S3Files s3, S3Options options) {
    this.s3 = s3;
    this.options = options;
  }

  @Override
  public void setCredentials(List<StorageCredential> credentials) {
    lock.lock();
    try {
      vended = List.copyOf(credentials);
      closeObjects();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<StorageCredential> credentials() {
    return List.of();
  }

  private FileIO files(String location) {
    return switch (Locations.scheme(location)) {
      case "file" -> local;
      case "s3", "s3a", "s3n" -> objects(location);
      default ->
          throw WingsException.invalid(
              "location-refused",
              "expected s3:// or a local file, got \"" + Printable.of(location) + "\"");
    };
  }

  private S3FileIO objects(String location) {
    String best = ANY;
    Map<String, String> config = Map.of();
    for (StorageCredential credential : vended) {
      String prefix = credential.prefix();
      if (location.startsWith(prefix) && prefix.length() >= best.length()) {
        best = prefix;
        config = credential.config();
      }
    }
    lock.lock();
    try {
      S3FileIO present = opened.get(best);
      if (present == null) {
        present = s3.open(options.vended(config));
        opened.put(best, present);
      }
      return present;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public InputFile newInputFile(String location) {
    return files(location).newInputFile(location);
  }

  @Override
  public InputFile newInputFile(String location, long length) {
    return files(location).newInputFile(location, length);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return files(location).newOutputFile(location);
  }

  @Override
  public void deleteFile(String location) {
    files(location).deleteFile(location);
  }

  @Override
  public void deleteFiles(Iterable<String> locations) {
    Map<FileIO, List<String>> byFiles = new LinkedHashMap<>();
    for (String location : locations) {
      byFiles.computeIfAbsent(files(location), _ -> new ArrayList<>()).add(location);
    }
    byFiles.forEach((files, some) -> ((SupportsBulkOperations) files).deleteFiles(some));
  }

  @Override
  public Iterable<FileInfo> listPrefix(String prefix) {
    return ((SupportsPrefixOperations) files(prefix)).listPrefix(prefix);
  }

  @Override
  public void deletePrefix(String prefix) {
    throw new UnsupportedOperationException("files are deleted by name, never by prefix");
  }

  @Override
  public Map<String, String> properties() {
    return Map.of();
  }

  @Override
  public void initialize(Map<String, String> properties) {
    throw new UnsupportedOperationException("initialised by its constructor");
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closeObjects();
    } finally {
      lock.unlock();
    }
  }

  private void closeObjects() {
    opened.values().forEach(S3FileIO::close);
    opened.clear();
  }
}
