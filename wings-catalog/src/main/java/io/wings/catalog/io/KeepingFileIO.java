package io.wings.catalog.io;

import java.util.Map;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.apache.iceberg.io.SupportsPrefixOperations;

/**
 * What Iceberg and catalogs get: every location is checked, and deletes do nothing. Several
 * catalogs delete the metadata of a commit whose answer was lost, and Iceberg cleans up the
 * manifest list of a commit that it takes for a failure; both may be live.
 *
 * <p>Not for other processes: it can't be serialised.
 */
public final class KeepingFileIO implements SupportsPrefixOperations, SupportsBulkOperations {
  private static final long serialVersionUID = 1L;

  private final transient FileIO files;
  private final transient LocationPolicy policy;

  /**
   * @param files what reads and writes; closed with this
   * @param policy asked for every location
   */
  public KeepingFileIO(FileIO files, LocationPolicy policy) {
    this.files = files;
    this.policy = policy;
  }

  /** The same files, with deletes that delete. */
  public FileIO deleting() {
    return new DeletingFileIO(files, policy);
  }

  @Override
  public InputFile newInputFile(String location) {
    policy.accept(location);
    return files.newInputFile(location);
  }

  @Override
  public InputFile newInputFile(String location, long length) {
    policy.accept(location);
    return files.newInputFile(location, length);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    policy.accept(location);
    return files.newOutputFile(location);
  }

  @Override
  public void deleteFile(String location) {}

  @Override
  public void deleteFiles(Iterable<String> locations) {}

  @Override
  public void deletePrefix(String prefix) {}

  @Override
  public Iterable<FileInfo> listPrefix(String prefix) {
    policy.accept(prefix);
    return DeletingFileIO.prefixOperations(files).listPrefix(prefix);
  }

  /** None: they may hold credentials. */
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
    files.close();
  }
}
