package io.wings.simulation;

import io.wings.catalog.own.OwnCatalog;
import io.wings.simulation.kernel.SimulatedProcess;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * A catalog as others serve it: a commit's answer gets lost after it landed, or its request before;
 * what lies between posts a commit again that had landed, and answers with the conflict.
 */
final class UnreliableCatalog extends ForwardingCatalog {
  /** How a client of the catalog deals with an answer that doesn't come. */
  enum Client {
    /** It tells. */
    ONE_POST,
    /** It posts the same change on whatever is there now, as HTTP clients and naive writers do. */
    POSTS_AGAIN
  }

  private static final double LOST_BEFORE = 0.2;
  private static final double LOST_AFTER = 0.3;
  private static final double REPOSTED = 0.4;

  private final World world;
  private final SimulatedProcess process;
  private final Client client;

  UnreliableCatalog(World world, SimulatedProcess process, OwnCatalog own, Client client) {
    super(own);
    this.world = world;
    this.process = process;
    this.client = client;
  }

  @Override
  public Table loadTable(TableIdentifier identifier) {
    TableOperations operations = ((HasTableOperations) super.loadTable(identifier)).operations();
    return new BaseTable(new Operations(operations), identifier.toString());
  }

  private boolean happens(double chance) {
    // To the end, but then not as often.
    double now = world.troubled() ? chance : chance / 2;
    return world.scheduler().choices().nextDouble() < now;
  }

  private final class Operations implements TableOperations {
    private final TableOperations operations;

    Operations(TableOperations operations) {
      this.operations = operations;
    }

    @Override
    public TableMetadata current() {
      return operations.current();
    }

    @Override
    public TableMetadata refresh() {
      return operations.refresh();
    }

    @Override
    public void commit(TableMetadata base, TableMetadata changed) {
      if (happens(LOST_BEFORE)) {
        world.faults().count("commit request lost");
        throw unknown("lost before");
      }
      operations.commit(base, changed);
      // Iceberg itself takes the conflict with its own commit for a failure, and deletes what is
      // live: nothing that Wings could do anything about.
      if (!Foreign.is(process) && happens(REPOSTED)) {
        world.faults().count("commit reposted");
        cleanUp();
        throw new CommitFailedException("the re-posted commit met its own");
      }
      if (happens(LOST_AFTER)) {
        world.faults().count("commit reply lost");
        if (client == Client.POSTS_AGAIN) {
          postAgain(changed);
          return;
        }
        cleanUp();
        throw unknown("lost after");
      }
    }

    /** Several catalogs remove the metadata of a commit that seems to have failed. */
    private void cleanUp() {
      if (!Foreign.is(process)) {
        operations.io().deleteFile(operations.current().metadataFileLocation());
      }
    }

    /** The snapshot of {@code changed} once more, on what is there. */
    private void postAgain(TableMetadata changed) {
      Snapshot posted = changed.currentSnapshot();
      TableMetadata _ = operations.refresh();
      AppendFiles append = new BaseTable(operations, "again").newFastAppend();
      SnapshotChanges.builderFor(new BaseTable(operations, "posted"))
          .snapshot(posted)
          .executeWith(Direct.EXECUTOR)
          .build()
          .addedDataFiles()
          .forEach(append::appendFile);
      posted.summary().entrySet().stream()
          .filter(entry -> entry.getKey().startsWith("wings."))
          .forEach(entry -> append.set(entry.getKey(), entry.getValue()));
      append.scanManifestsWith(Direct.EXECUTOR);
      append.writeManifestsWith(Direct.EXECUTOR, 1);
      append.commit();
    }

    private CommitStateUnknownException unknown(String how) {
      return new CommitStateUnknownException(
          new IllegalStateException(process.name() + ": " + how));
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
      return operations.metadataFileLocation(fileName);
    }

    @Override
    public LocationProvider locationProvider() {
      return operations.locationProvider();
    }

    @Override
    public long newSnapshotId() {
      return operations.newSnapshotId();
    }
  }
}
