package io.wings.simulation;

import io.wings.common.cas.FencedCodec;
import io.wings.common.cluster.Keys;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.QueueFile;
import io.wings.common.queue.StoredTask;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.SimulatedS3;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the queue says of its tasks, against what workers did: a failure is one that a worker
 * reported, or five leases in a row that ran out; what is parked stays parked; what nobody here
 * knows stays.
 */
final class TaskChecker implements SimulatedS3.Observer {
  private static final int EXPIRIES_OF_A_FAILURE = 5;

  private static final class Known {
    private final Set<String> leases = new HashSet<>();
    private int reported;
    private boolean parked;
  }

  private final World world;
  private final QueueCodec codec = new QueueCodec();
  private final Map<String, Known> tasks = new HashMap<>();
  private final Set<String> kept = new HashSet<>();

  TaskChecker(World world) {
    this.world = world;
  }

  /** A worker is about to say that a task has failed. */
  void failed(String key) {
    known(key).reported++;
  }

  private Known known(String key) {
    return tasks.computeIfAbsent(key, _ -> new Known());
  }

  @Override
  public void written(SimulatedProcess by, String key, byte[] bytes) {
    if (!key.equals(Keys.QUEUE)) {
      return;
    }
    FencedCodec.Fenced<QueueFile> file = codec.decode(bytes);
    Set<String> there =
        file.value().tasks().stream().map(StoredTask::key).collect(Collectors.toSet());
    for (String lost : kept) {
      if (!there.contains(lost)) {
        world.violated(by.name() + " dropped the task " + lost + ", which nobody has run");
      }
    }
    world
        .wakeUps()
        .lost(there)
        .ifPresent(
            lost ->
                world.violated(
                    by.name() + " dropped the task " + lost + ", which nobody has begun since"));
    file.value().tasks().forEach(task -> look(by, task));
  }

  private void look(SimulatedProcess by, StoredTask task) {
    Known known = known(task.key());
    if (task.kind().equals(OddTasks.LATER)) {
      boolean _ = kept.add(task.key());
    }
    if (task.standing() instanceof StoredTask.Leased lease) {
      boolean _ = known.leases.add(lease.id());
    }
    boolean parked = task.standing() instanceof StoredTask.Parked;
    if (known.parked && !parked) {
      world.violated(by.name() + " revived the parked task " + task.key());
    }
    known.parked |= parked;
    int most = known.reported + known.leases.size() / EXPIRIES_OF_A_FAILURE;
    if (task.failures() > most || task.expiries() >= EXPIRIES_OF_A_FAILURE) {
      world.violated(
          "%s counts %d failures and %d expiries of %s; %d failures were reported, %d leases given"
              .formatted(
                  by.name(),
                  task.failures(),
                  task.expiries(),
                  task.key(),
                  known.reported,
                  known.leases.size()));
    }
  }

  /** Whether a task of this kind waits for a person. */
  boolean parked(String key) {
    return known(key).parked;
  }
}
