package io.wings.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.SortField;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.SortOrderParser;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Types;
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
    description =
        "Tells uuid, lanes, watermarks, layout, wings. properties and columns of a table.")
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

  private void print(PrintWriter out, JsonNode description) {
    out.println("table        " + table);
    out.println("uuid         " + description.path("uuid").asText());
    out.println("metadata     " + description.path("metadata_location").asText());
    out.println("incarnation  " + description.path("incarnation").asText("not adopted yet"));
    JsonNode watermarks = description.path("watermarks");
    for (int lane = 0; lane < description.path("lanes").asInt(); lane++) {
      String mark = watermarks.has(lane) ? ", watermark " + watermarks.get(lane).asLong() : "";
      out.println("lane         " + lane + mark);
    }
    JsonNode iceberg = description.path("iceberg");
    if (iceberg.isMissingNode()) {
      printArrow(out, description.path("schema").asText());
      return;
    }
    Schema schema = SchemaParser.fromJson(iceberg.path("schema"));
    PartitionSpec spec = PartitionSpecParser.fromJson(schema, iceberg.path("partition_spec"));
    for (PartitionField field : spec.fields()) {
      out.println(
          "partition    "
              + term(schema, field.transform(), field.sourceId())
              + " as "
              + field.name());
    }
    SortOrder order = SortOrderParser.fromJson(schema, iceberg.path("sort_order").toString());
    for (SortField field : order.fields()) {
      out.printf(
          "sort         %s %s %s%n",
          term(schema, field.transform(), field.sourceId()),
          field.direction().toString().toLowerCase(Locale.ROOT),
          field.nullOrder().toString().toLowerCase(Locale.ROOT));
    }
    iceberg
        .path("properties")
        .properties()
        .forEach(
            property ->
                out.println(
                    "property     " + property.getKey() + " = " + property.getValue().asText()));
    for (Types.NestedField column : schema.columns()) {
      out.printf(
          "column       %d %s %s%s%n",
          column.fieldId(), column.name(), column.type(), column.isRequired() ? " required" : "");
    }
  }

  private static String term(Schema schema, Transform<?, ?> transform, int source) {
    String column = String.valueOf(schema.findColumnName(source));
    return transform.isIdentity() ? column : transform + "(" + column + ")";
  }

  /** What an ingestor of an older version tells. */
  private static void printArrow(PrintWriter out, String base64) {
    try {
      org.apache.arrow.vector.types.pojo.Schema.deserializeMessage(
              ByteBuffer.wrap(Base64.getDecoder().decode(base64)))
          .getFields()
          .forEach(field -> out.println("column       " + field));
    } catch (RuntimeException e) {
      throw new WingsException(
          ErrorKind.INTERNAL,
          "answer-unreadable",
          "the schema of the answer: " + e.getMessage(),
          e);
    }
  }
}
