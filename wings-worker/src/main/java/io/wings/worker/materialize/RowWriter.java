package io.wings.worker.materialize;

import io.wings.worker.engine.AppendResult;
import io.wings.worker.engine.AppendTarget;
import io.wings.worker.engine.BatchSource;

/** Writes rows as data files: the data engine, as a pass needs it. */
@FunctionalInterface
public interface RowWriter {
  /**
   * Writes and uploads all rows; nothing is committed.
   *
   * @throws io.wings.common.error.WingsException as {@link
   *     io.wings.worker.engine.DataEngine#append}
   */
  AppendResult append(AppendTarget target, BatchSource batches) throws InterruptedException;
}
