package io.wings.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings table describe}. */
@Command(
    name = "describe",
    mixinStandardHelpOptions = true,
    description = "Tells uuid, WAL position, watermarks and schema of a table.")
final class TableDescribeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final ServerOptions server = new ServerOptions();

  @Option(names = "--json", description = "Print the server's JSON.")
  private boolean json;

  @Parameters(paramLabel = "TABLE", description = "catalog.namespace.table")
  private String table = "";

  @Override
  public Integer call() {
    TableName name = TableName.parse(table);
    PrintWriter out = spec.commandLine().getOut();
    try (BufferAllocator allocator = new RootAllocator();
        WingsClient client = server.connect(allocator)) {
      JsonNode description =
          client.action("describe-table", name.into(WingsClient.JSON.createObjectNode()));
      if (json) {
        out.println(description);
      } else {
        print(out, description);
      }
    }
    return 0;
  }

  private static void print(PrintWriter out, JsonNode description) {
    out.println("uuid         " + description.path("uuid").asText());
    out.println("incarnation  " + description.path("incarnation").asText("not adopted yet"));
    out.println("lanes        " + description.path("lanes").asInt());
    JsonNode watermarks = description.path("watermarks");
    for (int lane = 0; lane < watermarks.size(); lane++) {
      out.println("lane %-7d in the table up to %d".formatted(lane, watermarks.get(lane).asLong()));
    }
    out.println("metadata     " + description.path("metadata_location").asText());
    for (Field field : schema(description.path("schema").asText()).getFields()) {
      out.println("column       " + field);
    }
  }

  private static Schema schema(String base64) {
    try {
      return Schema.deserializeMessage(ByteBuffer.wrap(Base64.getDecoder().decode(base64)));
    } catch (RuntimeException e) {
      throw new WingsException(
          ErrorKind.INTERNAL,
          "answer-unreadable",
          "the schema of the answer: " + e.getMessage(),
          e);
    }
  }
}
