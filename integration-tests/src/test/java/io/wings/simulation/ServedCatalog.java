package io.wings.simulation;

import io.wings.catalog.own.OwnCatalog;
import io.wings.simulation.kernel.Network;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.MetadataUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.UpdateRequirement;
import org.apache.iceberg.UpdateRequirements;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ServiceUnavailableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;

/** A client of {@link CatalogServer}, one post for each commit. */
final class ServedCatalog extends ForwardingCatalog {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final World world;
  private final SimulatedProcess process;

  /**
   * @param own for what isn't asked of the server: names, new tables
   */
  ServedCatalog(World world, SimulatedProcess process, OwnCatalog own) {
    super(own);
    this.world = world;
    this.process = process;
  }

  @Override
  public Table loadTable(TableIdentifier identifier) {
    Operations operations = new Operations(identifier, SimulatedCatalogs.io(world, process));
    TableMetadata _ = operations.refresh();
    return new BaseTable(operations, identifier.toString());
  }

  /** What a client asks of the server. */
  private interface Ask {
    TableMetadata of(CatalogServer server) throws InterruptedException;
  }

  private TableMetadata ask(Ask ask) throws Network.Unreachable {
    try {
      TableMetadata answer =
          world.network().call(process, CatalogServer.NAME, PATIENCE, () -> ask.of(server()));
      // As over a wire: nobody shares what another has read.
      return TableMetadataParser.fromJson(
          answer.metadataFileLocation(), TableMetadataParser.toJson(answer));
    } catch (Network.Unreachable | RuntimeException e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommitStateUnknownException(e);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private CatalogServer server() {
    return world.catalogServer();
  }

  private final class Operations implements TableOperations {
    private final TableIdentifier table;
    private final FileIO io;
    private @Nullable TableMetadata known;

    Operations(TableIdentifier table, FileIO io) {
      this.table = table;
      this.io = io;
    }

    @Override
    public TableMetadata current() {
      TableMetadata metadata = known;
      return metadata == null ? refresh() : metadata;
    }

    @Override
    public TableMetadata refresh() {
      try {
        TableMetadata loaded = ask(server -> server.load(process, table));
        TableMetadata before = known;
        if (before != null && !Objects.equals(before.uuid(), loaded.uuid())) {
          // As Iceberg's own client of a REST catalog says of a namesake.
          throw new IllegalStateException("Table UUID does not match");
        }
        known = loaded;
        return loaded;
      } catch (Network.Unreachable e) {
        throw new ServiceUnavailableException(e, "%s", e.getMessage());
      }
    }

    @Override
    public void commit(TableMetadata base, TableMetadata changed) {
      List<UpdateRequirement> requirements =
          changed.changes().stream().anyMatch(MetadataUpdate.RemoveSnapshotRef.class::isInstance)
                  && changed.currentSnapshot() == null
              ? UpdateRequirements.forReplaceTable(base, changed.changes())
              : UpdateRequirements.forUpdateTable(base, changed.changes());
      Post post = new Post();
      try {
        known =
            ask(
                server -> {
                  post.arrives();
                  return server.commit(process, table, requirements, changed.changes());
                });
      } catch (CommitFailedException
          | CommitStateUnknownException
          | NoSuchTableException
          | ValidationException e) {
        throw e;
      } catch (Network.Unreachable e) {
        world.faults().count(post.arrived ? "commit reply lost" : "commit request lost");
        throw new CommitStateUnknownException(e);
      } catch (RuntimeException e) {
        throw new CommitStateUnknownException(e);
      }
    }

    @Override
    public FileIO io() {
      return io;
    }

    @Override
    public String metadataFileLocation(String fileName) {
      return current().location() + "/metadata/" + fileName;
    }

    @Override
    public LocationProvider locationProvider() {
      return LocationProviders.locationsFor(current().location(), current().properties());
    }
  }

  /** One post; what lies between may transmit it twice. */
  private final class Post {
    private boolean arrived;

    void arrives() throws InterruptedException {
      if (arrived) {
        world.faults().count("commit reposted");
        if (Foreign.is(process)) {
          // Iceberg itself takes the conflict with its own commit for a failure, and deletes what
          // is live: nothing that Wings could do anything about.
          process.time().sleep(PATIENCE.multipliedBy(2));
        }
      }
      arrived = true;
    }
  }
}
