package io.wings.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings table drop}. */
@Command(
    name = "drop",
    mixinStandardHelpOptions = true,
    description = "Removes a table from its catalog. Its files stay.")
final class TableDropCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final ServerOptions server = new ServerOptions();

  @Option(names = "--json", description = "Print the server's JSON.")
  private boolean json;

  @Parameters(paramLabel = "TABLE", description = "catalog.namespace.table")
  private String table = "";

  @Override
  public Integer call() {
    TableName name = TableName.parse(table);
    try (BufferAllocator allocator = new RootAllocator();
        WingsClient client = server.connect(allocator)) {
      JsonNode dropped =
          client.action("drop-table", name.into(WingsClient.JSON.createObjectNode()));
      spec.commandLine()
          .getOut()
          .println(json ? dropped : "dropped " + name + ", uuid " + dropped.path("uuid").asText());
    }
    return 0;
  }
}
