package io.wings.catalog.io;

import java.util.List;
import java.util.Map;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.StorageCredential;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.apache.iceberg.io.SupportsStorageCredentials;

/**
 * What Iceberg and catalogs get: every location is checked, and deletes do nothing. Several
 * catalogs delete the metadata of a commit whose answer was lost, and Iceberg cleans up the
 * manifest list of a commit that it takes for a failure; both may be live. Tables' metadata is read
 * within a limit, see {@link MetadataFile}.
 *
 * <p>Not for other processes: it can't be serialised.
 */
public final class KeepingFileIO
    implements SupportsPrefixOperations, SupportsBulkOperations, SupportsStorageCredentials {
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
    policy.checkFile(location);
    return MetadataFile.capped(files.newInputFile(location));
  }

  @Override
  public InputFile newInputFile(String location, long length) {
    policy.checkFile(location);
    return MetadataFile.capped(files.newInputFile(location, length));
  }

  @Override
  public OutputFile newOutputFile(String location) {
    policy.checkFile(location);
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
    policy.checkDirectory(prefix);
    return DeletingFileIO.prefixOperations(files).listPrefix(prefix);
  }

  /** What a REST catalog vends for a table; taken where the files are on object storage. */
  @Override
  public void setCredentials(List<StorageCredential> credentials) {
    if (files instanceof SupportsStorageCredentials vended) {
      vended.setCredentials(credentials);
    }
  }

  /** None to be seen. */
  @Override
  public List<StorageCredential> credentials() {
    return List.of();
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
