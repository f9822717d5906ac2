package io.wings.worker.ledger;

import io.wings.catalog.commit.BaseListener;
import io.wings.common.cas.CasObject;
import io.wings.common.cluster.TableId;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.Optional;

/** The ledger of one pass, in the hands of who runs it. */
public final class Ledger {
  private final Ledgers ledgers;
  private final TableId table;
  private final String id;
  private final CasObject<LedgerFile> object;
  private final LedgerFile opened;
  private boolean expires;

  /**
   * @param opened what is there
   */
  Ledger(
      Ledgers ledgers, TableId table, String id, CasObject<LedgerFile> object, LedgerFile opened) {
    this.ledgers = ledgers;
    this.table = table;
    this.id = id;
    this.object = object;
    this.opened = opened;
  }

  /** Begins the name of every file of the pass. */
  public String id() {
    return id;
  }

  /**
   * Notes a post that is about to be made.
   *
   * @throws WingsException {@code ledger-closed}: the pass took too long, its files are being
   *     removed, and nothing may be posted; a ledger that is gone is there again, closed, so that
   *     what was written since is removed as well
   */
  public void beforePost(BaseListener.Post post) {
    expires |= !post.expired().isEmpty();
    LedgerFile noted =
        object
            .update(current -> Optional.of(noting(current.orElse(opened.closing()), post)))
            .orElseThrow();
    if (noted.closed()) {
      throw new WingsException(
          ErrorKind.FENCED,
          "ledger-closed",
          ledgers.key(table, id) + " was closed; the pass must not be posted");
    }
  }

  private static LedgerFile noting(LedgerFile current, BaseListener.Post post) {
    return current.closed() ? current.refusing() : current.on(post);
  }

  /**
   * The pass's commit is known to have landed: its files are the table's. The ledger goes, unless
   * it tells of others that are not: those of snapshots that the commit removed, and what the
   * commit left.
   *
   * @param leaves whether there may be manifests and lists that the table doesn't need
   */
  public void landed(boolean leaves) {
    if (!leaves && !expires) {
      ledgers.remove(table, id);
    }
  }
}
