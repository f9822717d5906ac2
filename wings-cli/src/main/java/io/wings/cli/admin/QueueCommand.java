package io.wings.cli.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.cli.ClusterAccess;
import io.wings.cli.StoreArguments;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.cluster.ClusterToken;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.queue.QueueClient;
import io.wings.common.queue.QueueClientSettings;
import io.wings.common.queue.Task;
import io.wings.common.time.Time;
import io.wings.common.tls.Transport;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings queue …}. */
@Command(
    name = "queue",
    mixinStandardHelpOptions = true,
    description = "Shows the broker's tasks and retries them.",
    synopsisSubcommandLabel = "COMMAND")
public final class QueueCommand {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Lists all tasks with state, failures and last error.")
  int list(
      @Mixin StoreArguments store,
      @Mixin ClusterAccess cluster,
      @Option(names = "--json", description = "Print one JSON object a line.") boolean json) {
    PrintWriter out = spec.commandLine().getOut();
    return with(
        store,
        cluster,
        (_, queue) -> {
          for (Task task : queue.list()) {
            out.println(json ? line(task) : text(task));
          }
          return 0;
        });
  }

  @Command(
      name = "retry",
      mixinStandardHelpOptions = true,
      description = "Forgets a task's failures and lets it run now.")
  int retry(
      @Mixin StoreArguments store,
      @Mixin ClusterAccess cluster,
      @Parameters(paramLabel = "KEY", description = "As `wings queue list` shows it.") String key,
      @Option(names = "--json", description = "Print one JSON object.") boolean json) {
    return with(
        store,
        cluster,
        (acts, queue) -> {
          acts.note("retry-task", List.of(key), Map.of());
          if (!queue.retry(key)) {
            throw WingsException.notFound(
                "task-not-found", "no task " + key + " waits or is parked; see `wings queue list`");
          }
          spec.commandLine()
              .getOut()
              .println(
                  json
                      ? JSON.createObjectNode().put("key", key).put("outcome", "retried")
                      : key + " runs now");
          return 0;
        });
  }

  private static int with(
      StoreArguments arguments,
      ClusterAccess cluster,
      BiFunction<OperatorActs, QueueClient, Integer> action) {
    try (ObjectStore store = arguments.open();
        Transport transport = cluster.transport(Time.system(), Threads.virtual());
        QueueClient queue =
            new QueueClient(
                store,
                QueueClientSettings.DEFAULT.with(new ClusterToken(cluster.token())).over(transport),
                Time.system(),
                Ids.secure())) {
      ClusterFile _ = ClusterFile.existing(store, Time.system(), Ids.secure());
      return action.apply(new OperatorActs(store, Time.system(), Ids.secure()), queue);
    }
  }

  private static ObjectNode line(Task task) {
    ObjectNode line =
        JSON.createObjectNode()
            .put("key", task.key())
            .put("kind", task.kind())
            .put("group", task.group())
            .put("state", task.state().name().toLowerCase(Locale.ROOT))
            .put("runs_in_ms", task.runsIn().toMillis())
            .put("run_again", task.runAgain())
            .put("failures", task.failures())
            .put("last_error", task.lastError())
            .put("worker", task.worker())
            .put("scheduled_at", task.scheduledAt());
    ObjectNode payload = line.putObject("payload");
    task.payload().forEach(payload::put);
    return line;
  }

  private static String text(Task task) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT, "%-8s %s", task.state().name().toLowerCase(Locale.ROOT), task.key()));
    if (!task.runsIn().isZero()) {
      text.append(", runs in ").append(task.runsIn().toMillis()).append(" ms");
    }
    if (task.worker() != null) {
      text.append(", worker ").append(task.worker());
    }
    if (task.failures() > 0) {
      text.append(", ").append(task.failures()).append(" failures: ").append(task.lastError());
    }
    return text.toString();
  }
}
