package io.wings.cli.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.catalog.TenantCatalog;
import io.wings.cli.CatalogAccess;
import io.wings.cli.StoreArguments;
import io.wings.cli.client.TableName;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.TableId;
import io.wings.common.config.Durations;
import io.wings.common.retry.Backoff;
import io.wings.worker.ledger.Ledgers;
import io.wings.worker.orphan.OrphanObserver;
import io.wings.worker.orphan.OrphanRemoval;
import io.wings.worker.orphan.OrphanSettings;
import io.wings.worker.table.TableLooks;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings table orphans}. */
@Command(
    name = "orphans",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the files that the workers' next removal of orphans would delete, and why others"
          + " wait. Changes nothing.",
    })
public final class TableOrphansCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final StoreArguments arguments = new StoreArguments();
  @Mixin private final CatalogAccess access = new CatalogAccess();

  @Parameters(paramLabel = "TABLE", description = "catalog.namespace.table")
  private String table = "";

  @Option(
      names = "--grace",
      defaultValue = "1d",
      paramLabel = "DURATION",
      description =
          "The workers' --orphan-grace: how long a pass is left alone (default: ${DEFAULT-VALUE}).")
  private String grace = "";

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    TableName name = TableName.parse(table);
    OrphanSettings settings = new OrphanSettings(Durations.parse(grace), true);
    try (OpenCluster cluster = OpenCluster.open(arguments, access);
        TenantCatalog catalog = cluster.catalog(new CatalogName(name.catalog()))) {
      TableId id = cluster.load(name, catalog).id();
      report(removal(cluster, settings).run(id, catalog));
    }
    return 0;
  }

  private static OrphanRemoval removal(OpenCluster cluster, OrphanSettings settings) {
    return new OrphanRemoval(
        cluster.store(),
        new Ledgers(cluster.store(), "command", cluster.time(), cluster.ids()),
        new TableLooks(
            cluster.file().clusterId(),
            cluster.store(),
            cluster.time(),
            cluster.ids(),
            Backoff.STORE,
            cluster.threads()),
        settings,
        OrphanObserver.none(),
        cluster.ids(),
        cluster.threads());
  }

  private void report(OrphanRemoval.Report found) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      ObjectNode line =
          JSON.createObjectNode()
              .put("table", table)
              .put("ledgers_to_close", found.closed())
              .put("ledgers_waiting", found.waiting())
              .put("ledgers_due", found.done());
      found.files().forEach(line.putArray("files")::add);
      out.println(line);
      return;
    }
    out.printf(
        "%s: %,d ledgers would be closed, %,d wait for the table's next commit, %,d are due with"
            + " %,d files%n",
        table, found.closed(), found.waiting(), found.done(), found.files().size());
    found.files().forEach(file -> out.println("  " + file));
  }
}
