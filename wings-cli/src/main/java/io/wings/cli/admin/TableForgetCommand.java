package io.wings.cli.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.Forgetting;
import io.wings.cli.CatalogAccess;
import io.wings.cli.StoreArguments;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectHead;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings table forget}. */
@Command(
    name = "forget",
    mixinStandardHelpOptions = true,
    description = {
      "Deletes what the cluster keeps of a table that no name leads to any more: its log, its"
          + " ledgers, its table.json.",
      "Rows that were acknowledged and are in no table go with it; without --yes they are listed"
          + " and nothing changes."
    })
public final class TableForgetCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final StoreArguments arguments = new StoreArguments();
  @Mixin private final CatalogAccess access = new CatalogAccess();

  @Parameters(
      paramLabel = "CATALOG/UUID",
      description = "As errors and the keys of `wings wal list` have it.")
  private String table = "";

  @Option(
      names = "--catalog-gone",
      description = "Don't ask the catalog whether the table still loads: it is gone as well.")
  private boolean catalogGone;

  @Option(names = "--yes", description = "Delete. There is no way back.")
  private boolean yes;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    TableId id = id(table);
    try (OpenCluster cluster = OpenCluster.open(arguments, access)) {
      Forgetting forgetting = new Forgetting(cluster.store(), cluster.time(), cluster.ids());
      Forgetting.Holdings holdings = forgetting.look(id);
      if (holdings.objects().isEmpty()) {
        throw WingsException.notFound("table-unknown", "the cluster keeps nothing of " + table);
      }
      if (!catalogGone) {
        try (TenantCatalog catalog = cluster.catalog(id.catalog())) {
          forgetting.requireGone(id, holdings, catalog.catalog(), catalog.namespaces());
        }
      }
      if (yes) {
        cluster
            .acts()
            .note(
                "forget-table",
                List.of(id.catalog().value()),
                Map.of("uuid", id.uuid().toString(), "name", name(holdings)));
        forgetting.forget(id);
      }
      report(holdings);
    }
    return 0;
  }

  private static TableId id(String text) {
    int slash = text.indexOf('/');
    try {
      return new TableId(
          new CatalogName(text.substring(0, Math.max(0, slash))),
          UUID.fromString(text.substring(slash + 1)));
    } catch (IllegalArgumentException e) {
      throw WingsException.invalid(
          "table-id-invalid", "expected catalog/uuid, got \"" + text + "\"");
    }
  }

  private static String name(Forgetting.Holdings holdings) {
    return holdings.file().map(file -> file.identifier().toString()).orElse("not known any more");
  }

  private void report(Forgetting.Holdings holdings) {
    PrintWriter out = spec.commandLine().getOut();
    String name = name(holdings);
    long bytes = holdings.objects().stream().mapToLong(ObjectHead::size).sum();
    if (json) {
      ObjectNode line =
          JSON.createObjectNode()
              .put("table", table)
              .put("name", name)
              .put("forgotten", yes)
              .put("objects", holdings.objects().size())
              .put("bytes", bytes);
      ArrayNode lanes = line.putArray("lanes");
      for (Forgetting.Lane lane : holdings.lanes()) {
        lanes
            .addObject()
            .put("incarnation", lane.lane().incarnation())
            .put("lane", lane.lane().lane())
            .put("watermark", lane.watermark())
            .put("segments_above", lane.above().segments())
            .put("rows_above", lane.above().rows());
      }
      out.println(line);
      return;
    }
    out.printf("%s, last seen as %s%n", table, name);
    for (Forgetting.Lane lane : holdings.lanes()) {
      out.printf(
          "  lane %d of %s: in a table up to %d; in no table: %,d segments with %s%,d rows%n",
          lane.lane().lane(),
          lane.lane().incarnation(),
          lane.watermark(),
          lane.above().segments(),
          lane.above().complete() ? "" : "at least ",
          lane.above().rows());
    }
    out.printf(
        "  %,d objects, %,d bytes %s%n",
        holdings.objects().size(), bytes, yes ? "deleted" : "would be deleted; say --yes");
  }
}
