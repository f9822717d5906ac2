package io.wings.catalog.commit;

import io.wings.common.id.Ids;

/** Commits to Iceberg tables: the only way in which Wings does. */
public final class TableCommits {
  @SuppressWarnings("UnusedVariable")
  private final Ids ids;

  public TableCommits(Ids ids) {
    this.ids = ids;
  }
}
