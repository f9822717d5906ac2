package io.wings.catalog.commit;

import java.util.Map;
import org.apache.iceberg.Table;

/** How a commit ended, known for certain. */
public sealed interface CommitOutcome {
  /** A table as loaded after the commit, or instead of it. */
  Table table();

  /**
   * It is in the table, once.
   *
   * @param snapshotId of the commit
   * @param leaves whether manifests or lists may be left that no snapshot needs: those of attempts
   *     that came to nothing, and those that were merged into others
   */
  record Landed(Table table, long snapshotId, boolean leaves) implements CommitOutcome {}

  /**
   * The marks are not those that were expected: someone else committed, or this commit did and its
   * snapshot has been expired since. Nothing more of it will land. Its files stay: whether they are
   * needed is for their ledger to say.
   *
   * @param marks as they are
   */
  record Moved(Table table, Map<String, String> marks) implements CommitOutcome {
    public Moved {
      marks = Map.copyOf(marks);
    }
  }

  /** The change doesn't apply to the present base: do the work over. Nothing is in the table. */
  record Stale(Table table) implements CommitOutcome {}
}
