package io.wings.catalog.commit;

import java.util.List;

/** Is told of a post before it is made; a ledger notes it. */
@FunctionalInterface
public interface BaseListener {
  /**
   * What is about to be posted.
   *
   * @param snapshotId of main on the base, -1 when it has none
   * @param sequenceNumber the base's last
   * @param expired snapshots of the base that the post removes
   */
  record Post(long snapshotId, long sequenceNumber, List<ExpiredSnapshot> expired) {
    public Post {
      expired = List.copyOf(expired);
    }
  }

  /**
   * A snapshot that a commit of Wings removes from a table's metadata.
   *
   * @param manifestList from which all of its files can be told
   */
  record ExpiredSnapshot(long snapshotId, String manifestList) {}

  /**
   * Called before every post. When it throws, nothing is posted and the exception ends the commit.
   */
  void beforePost(Post post);
}
