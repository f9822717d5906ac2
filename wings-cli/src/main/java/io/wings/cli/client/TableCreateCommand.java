package io.wings.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.catalog.table.ArrowSchemas;
import io.wings.cli.source.FileBatches;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings table create}. */
@Command(
    name = "create",
    mixinStandardHelpOptions = true,
    description = "Creates an Iceberg v3 table.")
final class TableCreateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final ServerOptions server = new ServerOptions();

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Columns columns = new Columns();

  /** Where the schema comes from. */
  static final class Columns {
    @Option(
        names = "--column",
        paramLabel = "'NAME TYPE [required]'",
        description = "A column of a primitive Iceberg type, e.g. 'id long required'; repeatable.")
    private List<String> definitions = new ArrayList<>();

    @Option(
        names = "--schema-from",
        paramLabel = "FILE",
        description = "The schema of a Parquet, Arrow, CSV or JSON file.")
    private @Nullable Path file;
  }

  @Option(
      names = "--partition",
      paramLabel = "EXPR",
      description =
          "column, year|month|day|hour(column), bucket(n, column), truncate(n, column); repeatable.")
  private List<String> partition = new ArrayList<>();

  @Option(
      names = "--sort",
      paramLabel = "EXPR",
      description = "Such an expression, then [asc|desc] [nulls first|last]; repeatable.")
  private List<String> sort = new ArrayList<>();

  @Option(
      names = "--property",
      paramLabel = "KEY=VALUE",
      description = "Table property; repeatable.")
  private Map<String, String> properties = Map.of();

  @Option(names = "--json", description = "Print the server's JSON.")
  private boolean json;

  @Parameters(paramLabel = "TABLE", description = "catalog.namespace.table")
  private String table = "";

  @Override
  public Integer call() throws IOException {
    TableName name = TableName.parse(table);
    try (BufferAllocator allocator = new RootAllocator();
        WingsClient client = server.connect(allocator)) {
      JsonNode created =
          new TableCreation(name)
              .create(
                  client,
                  schema(allocator),
                  TableLayout.partitionSpec(partition),
                  TableLayout.sortOrder(sort),
                  properties);
      spec.commandLine()
          .getOut()
          .println(json ? created : "created " + name + ", uuid " + created.path("uuid").asText());
    }
    return 0;
  }

  private Schema schema(BufferAllocator allocator) throws IOException {
    if (columns.file != null) {
      try (FileBatches batches = FileBatches.open(columns.file, 1, allocator)) {
        return batches.schema();
      }
    }
    List<Types.NestedField> fields = new ArrayList<>();
    for (String definition : columns.definitions) {
      fields.add(column(fields.size() + 1, definition));
    }
    return ArrowSchemas.expected(new org.apache.iceberg.Schema(fields));
  }

  private static Types.NestedField column(int id, String definition) {
    List<String> words = List.of(definition.strip().split("\\s+", 3));
    boolean required = words.size() == 3 && words.get(2).equalsIgnoreCase("required");
    if (words.size() < 2 || (words.size() == 3 && !required)) {
      throw WingsException.invalid(
          "column-invalid", "expected 'name type [required]', got \"" + definition + "\"");
    }
    try {
      Type type = Types.fromPrimitiveString(words.get(1));
      return required
          ? Types.NestedField.required(id, words.getFirst(), type)
          : Types.NestedField.optional(id, words.getFirst(), type);
    } catch (IllegalArgumentException e) {
      throw WingsException.invalid("column-invalid", "\"" + definition + "\": " + e.getMessage());
    }
  }
}
