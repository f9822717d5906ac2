package io.wings.catalog.commit;

import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * What a commit does to the table's files, computed anew for every base.
 *
 * <p>Appending files applies again to any base that still has their schema and spec; a change that
 * rests on what it read (deletion vectors, a rewrite) looks again at what changed between the bases
 * and sets Iceberg's validations ({@code validateFromSnapshot}, {@code validateDataFilesExist},
 * {@code validateDeletedFiles}).
 */
@FunctionalInterface
public interface TableChange {
  /**
   * The update for one base.
   *
   * @param base pinned: what it shows is what the commit asserts; its commits only stage
   * @return not committed; null when it no longer applies to this base and the work must be done
   *     over
   */
  @Nullable SnapshotUpdate<?> on(Table base);

  /** Only a snapshot, with the files of the one before. */
  static TableChange none() {
    return Table::newFastAppend;
  }
}
