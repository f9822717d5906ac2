package io.wings.simulation;

import io.wings.catalog.own.OwnCatalog;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.MetadataUpdate;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.UpdateRequirement;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;

/**
 * A catalog that is a server, as the REST protocol has it: a commit is a list of requirements and a
 * list of updates, which are applied to whatever the table is by then if the requirements hold. Two
 * commits that require nothing of each other both land.
 */
final class CatalogServer {
  /** Name of the process. */
  static final String NAME = "catalog";

  /** Rounds of one commit against others that the server serves. */
  private static final int MAX_ROUNDS = 8;

  private final World world;
  private final SimulatedProcess process;
  private final Map<Long, OwnCatalog> catalogs = new HashMap<>();

  CatalogServer(World world, SimulatedProcess process) {
    this.world = world;
    this.process = process;
  }

  /** What the server does is noted as its client's doing. */
  private TableOperations operations(SimulatedProcess client, TableIdentifier table) {
    OwnCatalog catalog = catalogs.get(client.life());
    if (catalog == null) {
      catalog =
          SimulatedCatalogs.openOwn(
              world, client, new SimulatedFileIO(world.warehouse().of(client)));
      catalogs.put(client.life(), catalog);
    }
    return ((HasTableOperations) (BaseTable) catalog.loadTable(table)).operations();
  }

  TableMetadata load(SimulatedProcess client, TableIdentifier table) {
    return operations(client, table).current();
  }

  TableMetadata commit(
      SimulatedProcess client,
      TableIdentifier table,
      List<UpdateRequirement> requirements,
      List<MetadataUpdate> updates)
      throws InterruptedException {
    TableOperations operations = operations(client, table);
    for (int round = 1; ; round++) {
      TableMetadata base = operations.refresh();
      requirements.forEach(requirement -> requirement.validate(base));
      TableMetadata.Builder changed = TableMetadata.buildFrom(base);
      updates.forEach(update -> update.applyTo(changed));
      try {
        operations.commit(base, changed.build());
        return operations.current();
      } catch (CommitFailedException e) {
        if (round == MAX_ROUNDS) {
          throw e;
        }
        world.guards().count("catalog server met another commit");
        process.time().sleep(Duration.ofMillis(10L * round));
      }
    }
  }
}
