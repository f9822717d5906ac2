package io.wings.cli.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.MaterializeTask;
import io.wings.catalog.table.Quarantine;
import io.wings.cli.CatalogAccess;
import io.wings.cli.StoreArguments;
import io.wings.cli.client.TableName;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.wal.SegmentReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings table resume}. */
@Command(
    name = "resume",
    mixinStandardHelpOptions = true,
    description = {
      "Lets a table go on that stopped at a segment which can't be read.",
      "The segment is copied aside, and the next pass steps over it: its rows will not be in the"
          + " table."
    })
public final class TableResumeCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern PLACE = Pattern.compile("(\\d{1,2})/([1-9]\\d{0,17})");

  /** Beside the copy: why, when. */
  private static final String REASON_SUFFIX = ".json";

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final StoreArguments arguments = new StoreArguments();
  @Mixin private final CatalogAccess access = new CatalogAccess();

  @Parameters(paramLabel = "TABLE", description = "catalog.namespace.table")
  private String table = "";

  @Option(
      names = "--quarantine",
      required = true,
      paramLabel = "LANE/NUMBER",
      description = "The segment, as the table's error names it.")
  private String quarantine = "";

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why; kept beside the copy.")
  private String reason = "";

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    Matcher place = PLACE.matcher(quarantine);
    if (!place.matches() || reason.isBlank()) {
      throw WingsException.invalid(
          "option-invalid", "expected --quarantine LANE/NUMBER, as in 0/17, and a --reason");
    }
    TableName name = TableName.parse(table);
    long number = Long.parseLong(place.group(2));
    try (OpenCluster cluster = OpenCluster.open(arguments, access);
        TenantCatalog catalog = cluster.catalog(new CatalogName(name.catalog()))) {
      AdoptedTable adopted = cluster.load(name, catalog);
      LaneId lane = adopted.lane(Integer.parseInt(place.group(1)));
      cluster
          .acts()
          .note(
              "quarantine-segment", name.levels(), Map.of("segment", quarantine, "reason", reason));
      boolean footer = footerReadable(cluster.store(), lane, number);
      Optional<String> copy =
          new Quarantine(cluster.store(), cluster.time(), cluster.ids()).put(lane, number);
      note(cluster, lane, number, footer);
      report(adopted, copy, footer);
    }
    return 0;
  }

  private static boolean footerReadable(ObjectStore store, LaneId lane, long number) {
    try {
      return new SegmentReader(store).footer(lane, number).isPresent();
    } catch (WingsException e) {
      if (e.kind() != ErrorKind.CORRUPT) {
        throw e;
      }
      return false;
    }
  }

  private void note(OpenCluster cluster, LaneId lane, long number, boolean footer) {
    byte[] text =
        JSON.createObjectNode()
            .put("reason", reason)
            .put("at", cluster.time().now().toString())
            .put("footer_readable", footer)
            .toString()
            .getBytes(StandardCharsets.UTF_8);
    String key = Keys.quarantined(lane, number) + REASON_SUFFIX;
    PutOutcome outcome = cluster.store().put(key, Body.of(text), PutCondition.any());
    if (!(outcome instanceof PutOutcome.Written)) {
      throw WingsException.unavailable(
          "store-unavailable",
          "the segment is quarantined; the reason wasn't written to " + key + ": say it again",
          null);
    }
  }

  private void report(AdoptedTable adopted, Optional<String> copy, boolean footer) {
    PrintWriter out = spec.commandLine().getOut();
    String task = new MaterializeTask(adopted.id()).key();
    if (json) {
      ObjectNode line =
          JSON.createObjectNode()
              .put("table", table)
              .put("quarantined", quarantine)
              .put("copy", copy.orElse(null))
              .put("footer_readable", footer)
              .put("task", task);
      out.println(line);
      return;
    }
    out.println(
        "segment "
            + quarantine
            + " of "
            + table
            + " is quarantined"
            + copy.map(key -> ", its copy is " + key).orElse("; there was no such object"));
    out.println("the next pass steps over it; to have it at once: wings queue retry " + task);
    if (!footer) {
      out.println(
          "its footer can't be read, so that nobody can write to the lane: once the table has passed"
              + " it, say wings table adopt "
              + table
              + " --again --yes");
    }
  }
}
