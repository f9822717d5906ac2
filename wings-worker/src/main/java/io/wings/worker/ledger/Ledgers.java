package io.wings.worker.ledger;

import io.wings.common.cas.CasObject;
import io.wings.common.cas.JsonCodec;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PatientListing;
import io.wings.common.objectstore.StoreException;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens ledgers. A table may have hundreds of thousands, so one call of many that fails is made
 * again: what begins anew never ends.
 */
public final class Ledgers {
  private static final Logger LOG = LoggerFactory.getLogger(Ledgers.class);

  private static final JsonCodec<LedgerFile> CODEC = JsonCodec.tolerant(LedgerFile.class);

  private static final Comparator<ObjectHead> LONGEST_UNCHANGED =
      Comparator.comparing(ObjectHead::modified).thenComparing(ObjectHead::key);

  /** Of one call; with the back-off's waits some seconds. */
  private static final int MAX_ATTEMPTS = 8;

  private final ObjectStore store;
  private final String worker;
  private final Time time;
  private final Ids ids;
  private final Retry retry;

  /**
   * @param store the cluster's
   * @param worker this process's name, for people
   */
  public Ledgers(ObjectStore store, String worker, Time time, Ids ids) {
    this.store = store;
    this.worker = worker;
    this.time = time;
    this.ids = ids;
    this.retry = new Retry(time, ids, Backoff.STORE);
  }

  /** A new ledger, durable when this returns. */
  public Ledger open(
      TableId table,
      String incarnation,
      List<LedgerFile.Range> ranges,
      String location,
      String metadataLocation) {
    String id = ids.hex();
    CasObject<LedgerFile> object = object(table, id);
    LedgerFile opened =
        object.createIfAbsent(
            new LedgerFile(
                worker,
                time.now().toString(),
                incarnation,
                ranges,
                location,
                metadataLocation,
                false,
                0,
                0,
                -1,
                List.of()));
    return new Ledger(this, table, id, object, opened);
  }

  private CasObject<LedgerFile> object(TableId table, String id) {
    return new CasObject<>(store, key(table, id), CODEC, time, ids, Backoff.STORE);
  }

  String key(TableId table, String id) {
    return Keys.ledger(table, id);
  }

  /**
   * No post follows from here on. Closing again only tells its time anew, by the store's clock.
   *
   * @return what is there; empty when it is gone
   */
  public Optional<LedgerFile> close(TableId table, String id) {
    return object(table, id).update(current -> current.map(LedgerFile::closing));
  }

  /**
   * Nothing is left that a ledger tells. It stays where it isn't what was read any more: who writes
   * into it late tells of more.
   *
   * @param known what was read of it
   * @return whether it is gone
   * @throws WingsException UNAVAILABLE {@code retries-exhausted}, {@code interrupted}
   * @throws StoreException when it can't be read
   */
  public boolean removeUnchanged(TableId table, String id, LedgerFile known) {
    Optional<LedgerFile> there = read(table, id);
    if (there.filter(file -> !file.equals(known)).isPresent()) {
      LOG.info("{} stays: it was written into meanwhile", key(table, id));
      return false;
    }
    return remove(table, id);
  }

  /**
   * Nothing is left that the ledger could tell. One that won't go tells nothing wrong: whoever
   * looks finds its files in the table, or gone.
   *
   * @return whether it is gone
   */
  public boolean remove(TableId table, String id) {
    try {
      return patiently(
          "removal of ledger " + id,
          () -> {
            store.delete(key(table, id));
            return true;
          });
    } catch (StoreException | WingsException e) {
      LOG.warn("{} was not removed: {}", key(table, id), e.getMessage());
      return false;
    }
  }

  /**
   * What a ledger says that may be there.
   *
   * @throws WingsException UNAVAILABLE {@code retries-exhausted}, {@code interrupted}
   * @throws StoreException one that isn't retryable
   */
  public Optional<LedgerFile> read(TableId table, String id) {
    CasObject<LedgerFile> ledger = object(table, id);
    return patiently("read of ledger " + id, ledger::read);
  }

  private <T> T patiently(String what, Supplier<T> call) {
    return retry.run(
        what,
        MAX_ATTEMPTS,
        _ -> {
          try {
            return Attempt.done(call.get());
          } catch (StoreException e) {
            if (!e.retryable()) {
              throw e;
            }
            return Attempt.again(e.toString(), e);
          }
        });
  }

  /**
   * A table's ledgers that nothing has changed since {@code modified}, the store's time: the
   * longest unchanged, and these first, so that one that comes back time and again holds up no
   * other.
   *
   * @param limit at most so many
   * @throws WingsException UNAVAILABLE {@code retries-exhausted}, {@code interrupted}
   */
  public List<String> unchangedSince(TableId table, Instant modified, int limit)
      throws InterruptedException {
    PriorityQueue<ObjectHead> found = new PriorityQueue<>(LONGEST_UNCHANGED.reversed());
    Iterator<ObjectHead> listing = listing(table);
    while (listing.hasNext()) {
      ObjectHead head = next(listing);
      if (!head.modified().isAfter(modified)) {
        found.add(head);
        if (found.size() > limit) {
          ObjectHead _ = found.remove();
        }
      }
    }
    return found.stream().sorted(LONGEST_UNCHANGED).map(head -> name(table, head)).toList();
  }

  /**
   * A ledger that is there.
   *
   * @param modified by the store's clock
   */
  public record Listed(String id, Instant modified) {}

  /**
   * All of a table's ledgers, the longest unchanged first.
   *
   * @throws WingsException UNAVAILABLE {@code retries-exhausted}, {@code interrupted}
   */
  public List<Listed> all(TableId table) throws InterruptedException {
    List<ObjectHead> found = new ArrayList<>();
    Iterator<ObjectHead> listing = listing(table);
    while (listing.hasNext()) {
      found.add(next(listing));
    }
    return found.stream()
        .sorted(LONGEST_UNCHANGED)
        .map(head -> new Listed(name(table, head), head.modified()))
        .toList();
  }

  private Iterator<ObjectHead> listing(TableId table) {
    return new PatientListing(store, Keys.ledgers(table), retry);
  }

  private static ObjectHead next(Iterator<ObjectHead> listing) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("a listing of ledgers was told to stop");
    }
    return listing.next();
  }

  private static String name(TableId table, ObjectHead head) {
    return head.key().substring(Keys.ledgers(table).length());
  }
}
