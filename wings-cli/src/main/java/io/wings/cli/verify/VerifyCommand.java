package io.wings.cli.verify;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wings verify}: the demo's independent reader, in a process of its own. */
@Command(
    name = "verify",
    hidden = true,
    mixinStandardHelpOptions = true,
    description = "Compares a table, by metadata path, with the hashes of the rows that were sent.")
public final class VerifyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--metadata", required = true, paramLabel = "LOCATION")
  private String metadata = "";

  @Option(names = "--sent", required = true, paramLabel = "FILE")
  private Path sent = Path.of("");

  @Option(names = "--io", required = true, paramLabel = "CLASS")
  private String io = "";

  @Option(names = "--io-properties", paramLabel = "FILE", description = "JSON object")
  private @Nullable Path ioProperties;

  @Override
  public Integer call() throws IOException {
    ObjectMapper json = new ObjectMapper();
    Map<String, String> properties =
        ioProperties == null
            ? Map.of()
            : json.readValue(ioProperties.toFile(), new TypeReference<Map<String, String>>() {});
    TableCheck.Report report = TableCheck.run(metadata, io, properties, sent);
    spec.commandLine().getOut().println(json.writeValueAsString(report));
    return report.lost() == 0 && report.doubled() == 0 && report.checksumMatch() ? 0 : 1;
  }
}
