package io.wings.catalog.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.io.BulkDeletionFailureException;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.apache.iceberg.io.SupportsPrefixOperations;

/**
 * Files of this machine, without Hadoop. A written file is on disk, its directory entry included,
 * once its stream is closed. Locations are {@code file:///path}, {@code file:/path} or {@code
 * /path}, taken as they are: nothing in them is percent-decoded.
 */
public final class LocalFileIO implements SupportsPrefixOperations, SupportsBulkOperations {
  private static final long serialVersionUID = 1L;

  private transient Map<String, String> properties = Map.of();

  @Override
  public void initialize(Map<String, String> newProperties) {
    properties = Map.copyOf(newProperties);
  }

  @Override
  public Map<String, String> properties() {
    return properties;
  }

  @Override
  public InputFile newInputFile(String location) {
    return new LocalInputFile(location, Locations.localPath(location));
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new LocalOutputFile(location, Locations.localPath(location));
  }

  @Override
  public void deleteFile(String location) {
    try {
      Files.deleteIfExists(Locations.localPath(location));
    } catch (IOException e) {
      throw new UncheckedIOException("can't delete " + location, e);
    }
  }

  @Override
  public void deleteFiles(Iterable<String> locations) {
    int failed = 0;
    for (String location : locations) {
      try {
        deleteFile(location);
      } catch (UncheckedIOException _) {
        failed++;
      }
    }
    if (failed > 0) {
      throw new BulkDeletionFailureException(failed);
    }
  }

  /** Files below the directory {@code prefix}, or none when there is no such directory. */
  @Override
  public Iterable<FileInfo> listPrefix(String prefix) {
    Path root = Locations.localPath(prefix);
    List<FileInfo> found = new ArrayList<>();
    if (!Files.exists(root)) {
      return found;
    }
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        found.add(
            new FileInfo(
                Locations.ofLocalPath(file),
                Files.size(file),
                Files.getLastModifiedTime(file).toMillis()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("can't list " + prefix, e);
    }
    return found;
  }

  @Override
  public void deletePrefix(String prefix) {
    for (FileInfo file : listPrefix(prefix)) {
      deleteFile(file.location());
    }
  }
}
