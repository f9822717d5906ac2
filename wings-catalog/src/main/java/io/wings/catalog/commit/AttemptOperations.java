package io.wings.catalog.commit;

import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * One attempt at a commit. The base is pinned: a refresh doesn't move it. What Iceberg's updates
 * commit here is only staged, so none of their retries and clean-ups is near the real commit; that
 * is {@link #post()}, which works once.
 */
final class AttemptOperations implements TableOperations {
  private final TableOperations operations;
  private final TableMetadata base;
  private final String names;
  private TableMetadata staged;
  private int named;
  private boolean posted;

  /**
   * @param operations freshly loaded
   * @param names begins the names of the manifests and their list
   */
  AttemptOperations(TableOperations operations, String names) {
    this.operations = operations;
    this.names = names;
    this.base = operations.current();
    this.staged = base;
  }

  TableMetadata base() {
    return base;
  }

  @Override
  public TableMetadata current() {
    return staged;
  }

  @Override
  public TableMetadata refresh() {
    return staged;
  }

  @Override
  @SuppressWarnings("ReferenceEquality")
  public void commit(TableMetadata from, TableMetadata to) {
    if (from != staged || posted) {
      throw new IllegalStateException("staged on other metadata than the attempt's");
    }
    staged = to;
  }

  /** Manifests and lists that were named so far, and written unless that failed. */
  int named() {
    return named;
  }

  /** Replaces what is staged. */
  void amend(TableMetadata amended) {
    commit(staged, amended);
  }

  /**
   * The one post: of what is staged, on the pinned base. Whatever it throws, it may have landed.
   */
  void post() {
    if (posted) {
      throw new IllegalStateException("an attempt posts once");
    }
    posted = true;
    operations.commit(base, staged);
  }

  @Override
  public FileIO io() {
    return operations.io();
  }

  @Override
  public EncryptionManager encryption() {
    return operations.encryption();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    named++;
    return operations.metadataFileLocation(names + fileName);
  }

  @Override
  public LocationProvider locationProvider() {
    return LocationProviders.locationsFor(base.location(), base.properties());
  }

  @Override
  public long newSnapshotId() {
    return operations.newSnapshotId();
  }

  @Override
  public boolean requireStrictCleanup() {
    return true;
  }
}
