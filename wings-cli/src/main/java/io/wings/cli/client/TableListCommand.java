package io.wings.cli.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wings table list}. */
@Command(name = "list", mixinStandardHelpOptions = true, description = "Lists all tables.")
final class TableListCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final ServerOptions server = new ServerOptions();

  @Option(names = "--json", description = "Print one JSON object a line.")
  private boolean json;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    try (BufferAllocator allocator = new RootAllocator();
        WingsClient client = server.connect(allocator)) {
      for (List<String> path : client.tables()) {
        out.println(json ? line(path) : String.join(".", path));
      }
    }
    return 0;
  }

  private static ObjectNode line(List<String> path) {
    ObjectNode line = WingsClient.JSON.createObjectNode().put("catalog", path.getFirst());
    ArrayNode namespace = line.putArray("namespace");
    path.subList(1, path.size() - 1).forEach(namespace::add);
    return line.put("table", path.getLast());
  }
}
