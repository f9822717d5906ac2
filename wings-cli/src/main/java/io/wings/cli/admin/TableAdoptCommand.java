package io.wings.cli.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.Readoption;
import io.wings.catalog.table.Readoption.Standing;
import io.wings.cli.CatalogAccess;
import io.wings.cli.Console;
import io.wings.cli.StoreArguments;
import io.wings.cli.client.TableName;
import io.wings.common.cluster.CatalogName;
import io.wings.common.config.Durations;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings table adopt}. */
@Command(
    name = "adopt",
    mixinStandardHelpOptions = true,
    description = {
      "Brings a table under this cluster: one that never was, was restored or copied, belonged to"
          + " another cluster, or whose log can't be read any more.",
      "A table that has had a log gets a new one. The old one is closed first; what it holds and"
          + " the table doesn't is listed before anything is left behind."
    })
public final class TableAdoptCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration POLL = Duration.ofSeconds(1);

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final StoreArguments arguments = new StoreArguments();
  @Mixin private final CatalogAccess access = new CatalogAccess();

  @Parameters(paramLabel = "TABLE", description = "catalog.namespace.table")
  private String table = "";

  @Option(
      names = "--from",
      paramLabel = "CLUSTER-ID",
      description = "The cluster that the table's watermarks are of, when it isn't this one.")
  private @Nullable String from;

  @Option(
      names = "--from-catalog",
      paramLabel = "CATALOG",
      description = "The catalog under which it was adopted, when that has another name.")
  private @Nullable String fromCatalog;

  @Option(
      names = "--old-store",
      paramLabel = "ADDRESS",
      description = "Where that cluster is (default: here, as in a copy of its store).")
  private @Nullable String oldStore;

  @Option(names = "--again", description = "Also where the table's log is in order.")
  private boolean again;

  @Option(
      names = "--leave-behind",
      description = "Go on although rows of the old log are not in the table.")
  private boolean leaveBehind;

  @Option(
      names = "--wait",
      defaultValue = "5m",
      paramLabel = "DURATION",
      description =
          "How long workers may take to bring the old log into the table (default: ${DEFAULT-VALUE}).")
  private String wait = "";

  @Option(names = "--yes", description = "Close the old log. There is no way back.")
  private boolean yes;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    TableName name = TableName.parse(table);
    Duration patience = Durations.parse(wait);
    try (OpenCluster cluster = OpenCluster.open(arguments, access);
        TenantCatalog catalog = cluster.catalog(new CatalogName(name.catalog()))) {
      if (oldStore == null) {
        run(cluster, cluster.store(), catalog, name, patience);
      } else {
        try (ObjectStore old = ObjectStores.open(oldStore, arguments.options())) {
          run(cluster, old, catalog, name, patience);
        }
      }
    }
    return 0;
  }

  private void run(
      OpenCluster cluster,
      ObjectStore old,
      TenantCatalog catalog,
      TableName name,
      Duration patience)
      throws InterruptedException {
    Readoption.Home of =
        new Readoption.Home(
            from == null ? cluster.file().clusterId() : from,
            fromCatalog == null ? catalog.name() : new CatalogName(fromCatalog));
    Steps steps =
        new Steps(
            new Readoption(
                cluster.file().clusterId(),
                cluster.store(),
                old,
                cluster.time(),
                cluster.ids(),
                cluster.threads()),
            catalog,
            name,
            of,
            cluster.acts());
    Standing standing = steps.look();
    List<Readoption.Left> left = List.of();
    switch (standing) {
      case Standing.Sound(AdoptedTable sound) when !again -> {
        report("sound", sound, left);
        return;
      }
      case Standing.Fresh _, Standing.Unfinished _ -> steps.note();
      case Standing.Sound _, Standing.Closed _ ->
          left = steps.leave(true, patience, cluster.time());
      case Standing.Apart(String why) -> {
        Console.of(spec).say("wings: " + table + " is apart from its log: " + why);
        left = steps.leave(from != null || fromCatalog != null, patience, cluster.time());
      }
    }
    report("adopted", steps.adopt(), left);
  }

  /** A re-adoption of one table. */
  private final class Steps {
    private final Readoption readoption;
    private final TenantCatalog catalog;
    private final TableName name;
    private final TableIdentifier identifier;
    private final Readoption.Home of;
    private final OperatorActs acts;

    Steps(
        Readoption readoption,
        TenantCatalog catalog,
        TableName name,
        Readoption.Home of,
        OperatorActs acts) {
      this.readoption = readoption;
      this.catalog = catalog;
      this.name = name;
      this.identifier = OpenCluster.identifier(name);
      this.of = of;
      this.acts = acts;
    }

    void note() {
      acts.note(
          "adopt-table",
          name.levels(),
          Map.of("from_cluster", of.cluster(), "from_catalog", of.catalog().value()));
    }

    Standing look() {
      return readoption.look(catalog.name(), catalog.catalog(), identifier, of);
    }

    AdoptedTable adopt() {
      return readoption.adopt(catalog.name(), catalog.catalog(), identifier, of);
    }

    private List<Readoption.Left> left() {
      return readoption.left(catalog.name(), catalog.catalog(), identifier, of).stream()
          .filter(lane -> !lane.nothing())
          .toList();
    }

    /**
     * Closes the old log, and tells what of it won't be in the table.
     *
     * @param drains whether workers still bring the old log into the table
     */
    List<Readoption.Left> leave(boolean drains, Duration patience, io.wings.common.time.Time time)
        throws InterruptedException {
      Console console = Console.of(spec);
      List<Readoption.Left> left = left();
      left.forEach(lane -> console.say("  " + text(lane)));
      if (!yes) {
        throw WingsException.invalid(
            "not-confirmed",
            "this closes the log of %s for good%s; say --yes"
                .formatted(table, drains ? "" : ", and leaves behind what is listed above"));
      }
      note();
      readoption.close(catalog.name(), catalog.catalog(), identifier, of);
      long begun = time.nanos();
      left = left();
      while (drains && !left.isEmpty() && time.since(begun).compareTo(patience) < 0) {
        console.progress("waiting for the workers: " + text(left.getFirst()));
        time.sleep(POLL);
        left = left();
      }
      console.clearProgress();
      if (drains && !left.isEmpty() && !leaveBehind) {
        left.forEach(lane -> console.say("  " + text(lane)));
        throw WingsException.unavailable(
            "rows-left",
            "the log of %s is closed, and what is listed above is not in the table yet; say it again to wait longer, quarantine what can't be read (`wings table resume`), or say --leave-behind"
                .formatted(table),
            null);
      }
      return left;
    }
  }

  private static String text(Readoption.Left lane) {
    return "lane %d of %s: the table has it up to %d; not in it: %s%,d segments with %s%,d rows, %,d bytes%s"
        .formatted(
            lane.lane().lane(),
            lane.lane().incarnation(),
            lane.since(),
            lane.gone() > 0 ? "%,d numbers that were pruned, ".formatted(lane.gone()) : "",
            lane.remains().segments(),
            lane.remains().complete() ? "" : "at least ",
            lane.remains().rows(),
            lane.remains().bytes(),
            lane.remains().unreadable() > 0
                ? ", %,d of them unreadable".formatted(lane.remains().unreadable())
                : "");
  }

  private void report(String outcome, AdoptedTable adopted, List<Readoption.Left> left) {
    if (json) {
      ObjectNode line =
          JSON.createObjectNode()
              .put("table", table)
              .put("outcome", outcome)
              .put("uuid", adopted.id().uuid().toString())
              .put("incarnation", adopted.incarnation());
      ArrayNode behind = line.putArray("left_behind");
      for (Readoption.Left lane : left) {
        behind
            .addObject()
            .put("incarnation", lane.lane().incarnation())
            .put("lane", lane.lane().lane())
            .put("since", lane.since())
            .put("pruned", lane.gone())
            .put("segments", lane.remains().segments())
            .put("unreadable", lane.remains().unreadable())
            .put("rows", lane.remains().rows());
      }
      spec.commandLine().getOut().println(line);
      return;
    }
    spec.commandLine()
        .getOut()
        .println(
            outcome.equals("sound")
                ? table
                    + " is under this cluster and its log is open; nothing was done. How far the"
                    + " log goes isn't looked at: where ingestors say watermark-ahead or"
                    + " segment-missing, say --again"
                : "adopted " + table + ", incarnation " + adopted.incarnation());
    left.forEach(lane -> spec.commandLine().getOut().println("left behind: " + text(lane)));
  }
}
