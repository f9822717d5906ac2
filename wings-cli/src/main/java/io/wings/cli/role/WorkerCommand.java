package io.wings.cli.role;

import io.wings.cli.StoreArguments;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.worker.WorkerServer;
import io.wings.worker.WorkerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wings worker}. */
@Command(
    name = "worker",
    mixinStandardHelpOptions = true,
    description = "Runs a worker: moves WAL segments into Iceberg tables.")
public final class WorkerCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final StoreArguments store = new StoreArguments();
  @Mixin private final RoleArguments role = new RoleArguments();

  @Option(
      names = "--scratch",
      defaultValue = "${env:WINGS_SCRATCH}",
      paramLabel = "DIRECTORY",
      description =
          "For temporary files, of this worker alone: what is in it is removed (default: a new"
              + " directory in the system's temporary one; WINGS_SCRATCH).")
  private @Nullable Path scratch;

  @Override
  public Integer call() throws Exception {
    String token = role.clusterToken();
    Path directory = scratch != null ? scratch.toAbsolutePath() : temporary();
    return new Role("worker", role)
        .run(store, spec.commandLine().getOut(), parts -> start(parts, directory, token));
  }

  private static Path temporary() throws IOException {
    return Files.createTempDirectory("wings-worker-");
  }

  /** A worker with the catalogs and the queue that it needs, stopped in reverse order. */
  static Role.Started start(Role.Parts parts, Path scratch, String token) {
    Lifecycle lifecycle = new Lifecycle("worker");
    try {
      ClusterParts cluster = ClusterParts.open(parts, token, lifecycle);
      String name = "worker-" + parts.ids().hex().substring(0, 8);
      WorkerServer _ =
          lifecycle.add(
              "server",
              WorkerServer.start(
                  WorkerSettings.of(name, scratch),
                  parts.cluster().file().clusterId(),
                  parts.cluster().store(),
                  cluster.catalogs(),
                  cluster.queue(),
                  parts.time(),
                  parts.ids(),
                  parts.threads(),
                  parts.endpoint().registry(),
                  parts.endpoint().readiness()));
      return new Role.Started(lifecycle, null);
    } catch (Throwable e) {
      throw lifecycle.abandon(e);
    }
  }
}
