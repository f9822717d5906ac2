package io.wings.worker.ledger;

import io.wings.catalog.commit.BaseListener;
import io.wings.common.cas.CasObject;
import io.wings.common.cas.JsonCodec;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.TableId;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.StoreException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ledger of one pass. */
public final class Ledger {
  private static final Logger LOG = LoggerFactory.getLogger(Ledger.class);

  static final JsonCodec<LedgerFile> CODEC = JsonCodec.tolerant(LedgerFile.class);

  private final String id;
  private final String key;
  private final CasObject<LedgerFile> object;
  private final Ledgers ledgers;
  private int posts;
  private boolean expires;

  Ledger(Ledgers ledgers, TableId table, String id, CasObject<LedgerFile> object) {
    this.ledgers = ledgers;
    this.id = id;
    this.key = Keys.ledger(table, id);
    this.object = object;
  }

  /** Begins the name of every file of the pass. */
  public String id() {
    return id;
  }

  /**
   * Notes a post that is about to be made.
   *
   * @throws WingsException {@code ledger-closed}: the pass took too long, its files are being
   *     removed, and nothing may be posted
   */
  public void beforePost(BaseListener.Post post) {
    posts++;
    expires |= !post.expired().isEmpty();
    LedgerFile noted =
        object
            .update(current -> current.filter(file -> !file.closed()).map(file -> file.on(post)))
            .orElseThrow(this::closed);
    if (noted.closed()) {
      throw closed();
    }
  }

  /**
   * The pass's commit is known to have landed: its files are the table's. The ledger goes, unless
   * it tells of others that are not: those of posts that failed before, and of snapshots that the
   * commit removed.
   */
  public void landed() {
    if (posts <= 1 && !expires) {
      remove();
    }
  }

  /**
   * No post follows from here on. Closing again only tells its time anew, by the store's clock.
   *
   * @return what is there; empty when it is gone
   */
  public Optional<LedgerFile> close() {
    return object.update(current -> current.map(LedgerFile::closing));
  }

  private WingsException closed() {
    return new WingsException(
        ErrorKind.FENCED, "ledger-closed", key + " was closed; the pass must not be posted");
  }

  /** Nothing is left that it could tell. */
  public void remove() {
    try {
      ledgers.store().delete(key);
    } catch (StoreException e) {
      // What is left tells nothing wrong: whoever looks finds the files in the table.
      LOG.warn("{} was not removed: {}", key, e.getMessage());
    }
  }

  /** For tests and people. */
  public Optional<LedgerFile> read() {
    return object.read();
  }
}
