package io.wings.cli.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.cli.StoreArguments;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.cluster.Keys;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.time.Time;
import io.wings.common.tls.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wings cluster …}: what {@code cluster.json} says, and changes of it. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = "Shows, moves and upgrades a cluster.",
    synopsisSubcommandLabel = "COMMAND")
public final class ClusterCommand {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** An active broker writes several times in it. */
  private static final Duration WATCH = Duration.ofSeconds(7);

  private final Time time = Time.system();
  private final Ids ids = Ids.secure();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = "Tells the cluster's id, its address and the formats that its writers use.")
  int show(
      @Mixin StoreArguments arguments,
      @Option(names = "--json", description = "Print one JSON object.") boolean json) {
    try (ObjectStore store = arguments.open()) {
      report(ClusterFile.required(store, ClusterFile.read(store, time, ids)), json);
    }
    return 0;
  }

  @Command(
      name = "move",
      mixinStandardHelpOptions = true,
      description = {
        "Moves a cluster to another address. Stop all roles, say `wings cluster move --to ADDRESS`,"
            + " copy the whole prefix there, start the roles there.",
        "With --here: makes a copy that has no original any more (a restored backup) a cluster of"
            + " its own. Its tables are then adopted one by one with `wings table adopt --from`."
      })
  int move(
      @Mixin StoreArguments arguments,
      @Option(names = "--to", paramLabel = "ADDRESS", description = "Where the cluster will be.")
          @Nullable String to,
      @Option(names = "--here", description = "Take this copy over.") boolean here,
      @Option(
              names = "--yes",
              description = "All roles are stopped; with --here: the original is gone.")
          boolean yes,
      @Option(names = "--json", description = "Print one JSON object.") boolean json)
      throws InterruptedException {
    if (here == (to != null)) {
      throw WingsException.invalid("option-invalid", "say either --to ADDRESS or --here");
    }
    if (!yes) {
      throw WingsException.invalid(
          "not-confirmed",
          here
              ? "two clusters that serve the same tables tear them apart; say --yes when the original is gone for good"
              : "what roles acknowledge while the prefix is copied is lost; stop all of them, then say --yes");
    }
    try (ObjectStore store = arguments.open()) {
      ClusterFile _ = ClusterFile.required(store, ClusterFile.read(store, time, ids));
      requireStopped(store);
      report(to == null ? takeOver(store) : move(store, address(to, arguments)), json);
    }
    return 0;
  }

  private ClusterFile takeOver(ObjectStore store) {
    note(store, "take-cluster-over", Map.of("at_address", store.address()));
    return ClusterFile.takeOver(store, time, ids);
  }

  private ClusterFile move(ObjectStore store, String to) {
    note(store, "move-cluster", Map.of("to_address", to));
    return ClusterFile.move(store, to, time, ids);
  }

  private void note(ObjectStore store, String act, Map<String, String> details) {
    new OperatorActs(store, time, ids).note(act, List.of(), details);
  }

  private static String address(String to, StoreArguments arguments) {
    try (ObjectStore target = ObjectStores.open(to, arguments.options())) {
      return target.address();
    }
  }

  private void requireStopped(ObjectStore store) throws InterruptedException {
    Optional<String> before = store.head(Keys.QUEUE).map(ObjectHead::version);
    if (before.isEmpty()) {
      return;
    }
    time.sleep(WATCH);
    if (!store.head(Keys.QUEUE).map(ObjectHead::version).equals(before)) {
      throw WingsException.invalid(
          "cluster-running",
          "a broker is at work at " + store.address() + "; stop all roles first");
    }
  }

  @Command(
      name = "upgrade",
      mixinStandardHelpOptions = true,
      description = {
        "Lets writers use the newest formats that this program knows, once every role can read them.",
        "Asks the roles by their /metrics. One that isn't named and is older stops at the first"
            + " object that it can't read; it loses nothing."
      })
  int upgrade(
      @Mixin StoreArguments arguments,
      @Option(
              names = "--roles",
              required = true,
              split = ",",
              paramLabel = "HOST:PORT",
              description = "The --http address of every role that runs.")
          List<String> roles,
      @Option(
              names = "--metrics-token-file",
              paramLabel = "FILE",
              description = "Holds the bearer token that /metrics asks for, if it does.")
          @Nullable Path tokenFile,
      @Option(
              names = "--metrics-ca",
              paramLabel = "FILE",
              description = "Roles are asked by TLS: the authority of their --http-tls-cert, PEM.")
          @Nullable Path authority,
      @Option(
              names = "--metrics-name",
              paramLabel = "NAME",
              defaultValue = "wings",
              description =
                  "The DNS name that these certificates bear, whatever the address (default:"
                      + " ${DEFAULT-VALUE}).")
          String name,
      @Option(names = "--json", description = "Print one JSON object.") boolean json)
      throws InterruptedException, IOException {
    Optional<String> token =
        tokenFile == null ? Optional.empty() : Optional.of(Files.readString(tokenFile).strip());
    Optional<SSLContext> trusted =
        Optional.ofNullable(authority).map(file -> Tls.httpClient(file, name));
    Map<String, Integer> wanted = ClusterFile.SUPPORTED;
    for (String role : roles) {
      Map<String, Integer> known = RoleFormats.of(role, token, trusted);
      wanted.forEach(
          (format, version) -> {
            if (known.getOrDefault(format, 0) < version) {
              throw WingsException.invalid(
                  "role-too-old",
                  "the role at %s reads %s up to version %d, this program up to %d; upgrade the role first"
                      .formatted(role, format, known.getOrDefault(format, 0), version));
            }
          });
    }
    try (ObjectStore store = arguments.open()) {
      ClusterFile before = ClusterFile.existing(store, time, ids);
      note(store, "upgrade-formats", Map.of("formats", new TreeMap<>(wanted).toString()));
      ClusterFile after = ClusterFile.upgrade(store, wanted, time, ids);
      if (!json && before.equals(after)) {
        spec.commandLine().getOut().println("the newest formats are in use already");
      }
      report(after, json);
    }
    return 0;
  }

  @Command(
      name = "acts",
      mixinStandardHelpOptions = true,
      description = {
        "Lists what operators' commands did to this store, the oldest first.",
        "Who wrote to the bucket by other means left no line here, and may have removed some.",
        "With --prune-before: takes the lines of earlier acts away, and says in one of its own that"
            + " it did. Nothing else does."
      })
  int acts(
      @Mixin StoreArguments arguments,
      @Option(
              names = "--last",
              defaultValue = "1000",
              paramLabel = "COUNT",
              description = "So many at most, the latest (default: ${DEFAULT-VALUE}).")
          int last,
      @Option(
              names = "--prune-before",
              paramLabel = "DATE",
              description = "Take away what was done before that day (YYYY-MM-DD, UTC).")
          @Nullable LocalDate pruneBefore,
      @Option(names = "--yes", description = "They are kept elsewhere, or not needed any more.")
          boolean yes,
      @Option(names = "--json", description = "Print one JSON object a line.") boolean json) {
    if (pruneBefore != null) {
      return pruneActs(arguments, pruneBefore, yes);
    }
    if (last < 1) {
      throw WingsException.invalid("option-invalid", "--last: expected 1 or more, got " + last);
    }
    try (ObjectStore store = arguments.open()) {
      ClusterFile _ = ClusterFile.required(store, ClusterFile.read(store, time, ids));
      new OperatorActs(store, time, ids)
          .read(
              last,
              act -> spec.commandLine().getOut().println(json ? act : OperatorActs.text(act)));
    }
    return 0;
  }

  private int pruneActs(StoreArguments arguments, LocalDate day, boolean yes) {
    Instant before = day.atStartOfDay(ZoneOffset.UTC).toInstant();
    if (!before.isBefore(time.now())) {
      throw WingsException.invalid(
          "option-invalid", "--prune-before: expected a day that has begun, got " + day);
    }
    if (!yes) {
      throw WingsException.invalid(
          "not-confirmed",
          "what operators did before "
              + day
              + " can't be told from this store any more; say --yes when it is kept elsewhere, or"
              + " not needed");
    }
    try (ObjectStore store = arguments.open()) {
      ClusterFile _ = ClusterFile.required(store, ClusterFile.read(store, time, ids));
      OperatorActs acts = new OperatorActs(store, time, ids);
      acts.note("prune-acts", List.of(), Map.of("before", day.toString()));
      spec.commandLine().getOut().println("acts pruned: " + acts.prune(before));
    }
    return 0;
  }

  private void report(ClusterFile file, boolean json) {
    Map<String, Integer> formats = new TreeMap<>(file.formats());
    if (json) {
      ObjectNode line =
          JSON.createObjectNode()
              .put("cluster_id", file.clusterId())
              .put("address", file.address());
      ObjectNode versions = line.putObject("formats");
      formats.forEach(versions::put);
      spec.commandLine().getOut().println(line);
    } else {
      spec.commandLine()
          .getOut()
          .printf(
              "cluster  %s%naddress  %s%nformats  %s%n", file.clusterId(), file.address(), formats);
    }
  }
}
