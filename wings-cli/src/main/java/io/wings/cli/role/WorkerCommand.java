package io.wings.cli.role;

import io.wings.cli.CatalogAccess;
import io.wings.cli.StoreArguments;
import io.wings.common.config.Durations;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.worker.WorkerServer;
import io.wings.worker.WorkerSettings;
import io.wings.worker.orphan.OrphanSettings;
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
  @Mixin private final CatalogAccess catalogs = new CatalogAccess();

  @Option(
      names = "--scratch",
      paramLabel = "DIRECTORY",
      description =
          "For temporary files, of this worker alone: what is in it is removed (default: a new"
              + " directory in the system's temporary one; WINGS_SCRATCH).")
  private @Nullable Path scratch;

  @Option(
      names = "--orphan-grace",
      defaultValue = "1d",
      paramLabel = "DURATION",
      description =
          "How long what a pass left behind is left alone before it is looked at, and again before"
              + " it is removed (default: 1d; WINGS_ORPHAN_GRACE).")
  private String orphanGrace = "1d";

  @Option(
      names = "--orphans-dry-run",
      description = "Only log which files would be removed because no table needs them.")
  private boolean orphansDryRun;

  @Override
  public Integer call() throws Exception {
    String token = role.clusterToken();
    Path directory = scratch != null ? scratch.toAbsolutePath() : temporary();
    OrphanSettings orphans =
        new OrphanSettings(
            RoleSettings.checked(spec, "orphan-grace", () -> Durations.parse(orphanGrace)),
            orphansDryRun);
    return new Role("worker", role)
        .run(
            store,
            spec.commandLine().getOut(),
            parts -> start(parts, directory, token, orphans, catalogs));
  }

  private static Path temporary() throws IOException {
    return Files.createTempDirectory("wings-worker-");
  }

  /** A worker with the catalogs and the queue that it needs, stopped in reverse order. */
  static Role.Started start(Role.Parts parts, Path scratch, String token) {
    return start(parts, scratch, token, OrphanSettings.DEFAULT, new CatalogAccess());
  }

  private static Role.Started start(
      Role.Parts parts, Path scratch, String token, OrphanSettings orphans, CatalogAccess access) {
    Lifecycle lifecycle = new Lifecycle("worker");
    try {
      ClusterParts cluster = ClusterParts.open(parts, token, access, lifecycle);
      String name = "worker-" + parts.ids().hex().substring(0, 8);
      WorkerServer _ =
          lifecycle.add(
              "server",
              WorkerServer.start(
                  WorkerSettings.of(name, scratch).removing(orphans),
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
