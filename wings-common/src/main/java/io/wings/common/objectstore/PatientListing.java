package io.wings.common.objectstore;

import io.wings.common.error.WingsException;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Retry;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A long listing that one page's failure doesn't end: it goes on after the last key that came. Of
 * thousands of pages some fail, every time, and a listing that begins anew never ends.
 */
public final class PatientListing implements Iterator<ObjectHead> {
  /** In a row, with the retry's waits between them. */
  private static final int ATTEMPTS = 8;

  private final ObjectStore store;
  private final String prefix;
  private final Retry retry;
  private @Nullable Iterator<ObjectHead> page;
  private String last = "";

  public PatientListing(ObjectStore store, String prefix, Retry retry) {
    this.store = store;
    this.prefix = prefix;
    this.retry = retry;
  }

  /**
   * @throws WingsException UNAVAILABLE {@code retries-exhausted}
   * @throws StoreException one that isn't retryable
   */
  @Override
  public boolean hasNext() {
    return retry.run("listing of " + prefix, ATTEMPTS, _ -> look());
  }

  private Attempt<Boolean> look() {
    try {
      return Attempt.done(listing().hasNext());
    } catch (StoreException e) {
      if (!e.retryable()) {
        throw e;
      }
      page = null;
      return Attempt.again("after \"" + last + "\": " + e.getMessage(), e);
    }
  }

  private Iterator<ObjectHead> listing() {
    Iterator<ObjectHead> known = page;
    if (known == null) {
      known = store.list(prefix, last);
      page = known;
    }
    return known;
  }

  @Override
  public ObjectHead next() {
    ObjectHead head = listing().next();
    last = head.key();
    return head;
  }
}
