package io.wings.worker;

import io.wings.common.config.ByteSize;
import io.wings.worker.lease.LeaseSettings;
import io.wings.worker.materialize.MaterializeSettings;
import io.wings.worker.orphan.OrphanSettings;
import java.nio.file.Path;

/**
 * The worker's settings.
 *
 * @param name of this worker, for people: in the queue and in ledgers
 * @param scratch a directory of this worker alone for temporary files; what is in it is removed
 * @param slots tasks that run at once
 * @param engineMemory what each slot's data engine may use before it spills to disk
 * @param engineDisk about how much scratch space each slot's data engine may use
 * @param materialize the limits of a pass
 * @param orphans how files that no table needs are removed
 * @param lease how it leases
 */
public record WorkerSettings(
    String name,
    Path scratch,
    int slots,
    ByteSize engineMemory,
    ByteSize engineDisk,
    MaterializeSettings materialize,
    OrphanSettings orphans,
    LeaseSettings lease) {
  public static final int DEFAULT_SLOTS = 2;
  public static final ByteSize DEFAULT_ENGINE_MEMORY = ByteSize.ofMebibytes(192);
  public static final ByteSize DEFAULT_ENGINE_DISK = ByteSize.ofGibibytes(4);

  /** With everything else by default. */
  public static WorkerSettings of(String name, Path scratch) {
    return new WorkerSettings(
        name,
        scratch,
        DEFAULT_SLOTS,
        DEFAULT_ENGINE_MEMORY,
        DEFAULT_ENGINE_DISK,
        MaterializeSettings.DEFAULT,
        OrphanSettings.DEFAULT,
        LeaseSettings.of(name, DEFAULT_SLOTS));
  }

  /** These, with another way to remove orphans. */
  public WorkerSettings removing(OrphanSettings other) {
    return new WorkerSettings(
        name, scratch, slots, engineMemory, engineDisk, materialize, other, lease);
  }
}
