package io.wings.worker.ledger;

import io.wings.common.cas.CasObject;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.TableId;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
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
        new LedgerFile(worker, time.now().toString(), incarnation, ranges, location, false, 0, -1));
    return new Ledger(this, table, id, object);
  }

  ObjectStore store() {
    return store;
  }
}
