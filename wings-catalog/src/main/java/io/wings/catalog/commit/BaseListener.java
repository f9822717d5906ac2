package io.wings.catalog.commit;

/** Is told of the base of an attempt before its post; a ledger notes it. */
@FunctionalInterface
public interface BaseListener {
  /**
   * Called before every post. When it throws, nothing is posted and the exception ends the commit.
   *
   * @param snapshotId of main on the base, -1 when it has none
   * @param sequenceNumber the base's last
   */
  void beforePost(long snapshotId, long sequenceNumber);

  static BaseListener none() {
    return (_, _) -> {};
  }
}
