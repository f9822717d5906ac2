package io.wings.worker.ledger;

import io.wings.common.cas.CasObject;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.TableId;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

/** Opens ledgers. */
public final class Ledgers {
  private final ObjectStore store;
  private final String worker;
  private final Time time;
  private final Ids ids;

  /**
   * @param store the cluster's
   * @param worker this process's name, for people
   */
  public Ledgers(ObjectStore store, String worker, Time time, Ids ids) {
    this.store = store;
    this.worker = worker;
    this.time = time;
    this.ids = ids;
  }

  /** A new ledger, durable when this returns. */
  public Ledger open(
      TableId table, String incarnation, List<LedgerFile.Range> ranges, String location) {
    String id = ids.hex();
    CasObject<LedgerFile> object =
        new CasObject<>(store, Keys.ledger(table, id), Ledger.CODEC, time, ids, Backoff.STORE);
    object.createIfAbsent(
        new LedgerFile(
            worker,
            time.now().toString(),
            incarnation,
            ranges,
            location,
            false,
            0,
            -1,
            List.of(),
            List.of()));
    return new Ledger(this, table, id, object);
  }

  /** A ledger that may be there. */
  public Ledger at(TableId table, String id) {
    return new Ledger(
        this,
        table,
        id,
        new CasObject<>(store, Keys.ledger(table, id), Ledger.CODEC, time, ids, Backoff.STORE));
  }

  /**
   * A table's ledgers that nothing has changed since {@code modified}, the store's time.
   *
   * @param limit at most so many
   */
  public List<String> unchangedSince(TableId table, Instant modified, int limit) {
    String prefix = Keys.ledgers(table);
    List<String> found = new ArrayList<>();
    Iterator<ObjectHead> listing = store.list(prefix, "");
    while (listing.hasNext() && found.size() < limit) {
      ObjectHead head = listing.next();
      if (!head.modified().isAfter(modified)) {
        found.add(head.key().substring(prefix.length()));
      }
    }
    return List.copyOf(found);
  }

  /** All of a table's ledgers, the longest unchanged first. */
  public List<String> all(TableId table) {
    String prefix = Keys.ledgers(table);
    List<ObjectHead> found = new ArrayList<>();
    store.list(prefix, "").forEachRemaining(found::add);
    return found.stream()
        .sorted(Comparator.comparing(ObjectHead::modified).thenComparing(ObjectHead::key))
        .map(head -> head.key().substring(prefix.length()))
        .toList();
  }

  ObjectStore store() {
    return store;
  }
}
