package io.wings.catalog.io;

import java.util.Map;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.apache.iceberg.io.SupportsPrefixOperations;

/** The files of a {@link KeepingFileIO}, for Wings' own deletes: locations are still checked. */
final class DeletingFileIO implements SupportsPrefixOperations, SupportsBulkOperations {
  private static final long serialVersionUID = 1L;

  private final transient FileIO files;
  private final transient LocationPolicy policy;

  DeletingFileIO(FileIO files, LocationPolicy policy) {
    this.files = files;
    this.policy = policy;
  }

  static SupportsPrefixOperations prefixOperations(FileIO files) {
    if (files instanceof SupportsPrefixOperations prefixes) {
      return prefixes;
    }
    throw new UnsupportedOperationException(files.getClass().getName() + " lists no prefixes");
  }

  @Override
  public InputFile newInputFile(String location) {
    policy.checkFile(location);
    return files.newInputFile(location);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    policy.checkFile(location);
    return files.newOutputFile(location);
  }

  @Override
  public void deleteFile(String location) {
    policy.checkFile(location);
    files.deleteFile(location);
  }

  @Override
  public void deleteFiles(Iterable<String> locations) {
    locations.forEach(policy::checkFile);
    if (files instanceof SupportsBulkOperations bulk) {
      bulk.deleteFiles(locations);
    } else {
      locations.forEach(files::deleteFile);
    }
  }

  @Override
  public Iterable<FileInfo> listPrefix(String prefix) {
    policy.checkDirectory(prefix);
    return prefixOperations(files).listPrefix(prefix);
  }

  /** Files are deleted by name, never by prefix. */
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

  /** The files are closed by the FileIO that this was made from. */
  @Override
  public void close() {}
}
