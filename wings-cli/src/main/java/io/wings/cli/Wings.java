package io.wings.cli;

import io.wings.cli.role.RoleSettings;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program. */
@Command(
    name = "wings",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Streaming storage engine for Apache Iceberg.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      io.wings.cli.demo.DemoCommand.class,
      io.wings.cli.role.DevCommand.class,
      io.wings.cli.role.LoadBalancerCommand.class,
      io.wings.cli.role.IngestorCommand.class,
      io.wings.cli.role.BrokerCommand.class,
      io.wings.cli.role.WorkerCommand.class,
      io.wings.cli.role.CatalogCommand.class,
      io.wings.cli.client.TableCommand.class,
      io.wings.cli.client.IngestCommand.class,
      io.wings.cli.admin.WalCommand.class,
      io.wings.cli.admin.QueueCommand.class,
      io.wings.cli.admin.TenantCommand.class,
      io.wings.cli.admin.GrantCommand.class,
      io.wings.cli.admin.ClusterCommand.class,
      io.wings.cli.verify.VerifyCommand.class
    })
public final class Wings {
  /** Held, so that the level set below isn't collected with it. */
  private static final Logger GRPC = Logger.getLogger("io.grpc.netty");

  private Wings() {}

  public static void main(String[] args) {
    // gRPC logs each client that is cut off with a stack trace.
    GRPC.setLevel(Level.SEVERE);
    int code;
    try {
      code = commandLine(System.getenv(), List.of(args)).execute(args);
    } catch (WingsException e) {
      code = report(e, new PrintWriter(System.err, true, System.err.charset()));
    }
    // Roles return only when they were stopped, so nothing that still runs is worth waiting for.
    System.exit(code);
  }

  /** The command line without settings from elsewhere. */
  public static CommandLine commandLine() {
    return commandLine(Map.of(), List.of());
  }

  /**
   * The command line.
   *
   * @throws WingsException what {@link RoleSettings#into} throws
   */
  public static CommandLine commandLine(Map<String, String> environment, List<String> arguments) {
    CommandLine line = new CommandLine(new Wings());
    // They open the store, unlike the other commands about tables, which ask the load balancer.
    CommandLine table = Objects.requireNonNull(line.getSubcommands().get("table"));
    table.addSubcommand(new io.wings.cli.admin.TableAdoptCommand());
    table.addSubcommand(new io.wings.cli.admin.TableForgetCommand());
    table.addSubcommand(new io.wings.cli.admin.TableResumeCommand());
    table.addSubcommand(new io.wings.cli.admin.TableOrphansCommand());
    RoleSettings.into(line, arguments, environment);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler((error, _) -> misused(error));
    line.setExecutionExceptionHandler((error, command, parsed) -> report(error, command.getErr()));
    return line;
  }

  /** The command's whole usage would hide what is wrong. */
  private static int misused(CommandLine.ParameterException error) {
    CommandLine command = error.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(
        "wings: usage-invalid: "
            + RoleSettings.origin(error).map(from -> from + ": ").orElse("")
            + error.getMessage());
    if (!CommandLine.UnmatchedArgumentException.printSuggestions(error, err)) {
      err.println("see " + command.getCommandSpec().qualifiedName() + " --help");
    }
    return CommandLine.ExitCode.USAGE;
  }

  private static int report(Exception error, PrintWriter err) {
    if (error instanceof WingsException wings) {
      err.println("wings: " + wings.getMessage());
      return exitCode(wings.kind());
    }
    err.println("wings: " + plain(error));
    if (System.getenv("WINGS_STACK_TRACES") != null) {
      error.printStackTrace(err);
    } else {
      err.println("wings: set WINGS_STACK_TRACES=1 to see where it came from");
    }
    return CommandLine.ExitCode.SOFTWARE;
  }

  private static String plain(Exception error) {
    String message = String.valueOf(error.getMessage()).lines().findFirst().orElse("");
    return switch (error) {
      case NoSuchFileException _ -> "no such file: " + message;
      case IllegalArgumentException _ -> message;
      default -> error.getClass().getSimpleName() + ": " + message;
    };
  }

  private static int exitCode(ErrorKind kind) {
    return switch (kind) {
      case INVALID, UNSUPPORTED, NOT_FOUND, UNAUTHENTICATED, FENCED -> 3;
      case UNAVAILABLE -> 4;
      case CORRUPT, INTERNAL -> 5;
    };
  }
}
