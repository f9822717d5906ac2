package io.wings.common.objectstore;

import io.wings.common.id.Ids;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;

/** A store as slow as S3 is, over any other: {@code --simulate-s3}. */
public final class LatencyStore extends ForwardingStore {
  /** Of puts and deletes. */
  public static final Latency S3_PUT =
      new Latency(Duration.ofMillis(100), Duration.ofMillis(195), Duration.ofMillis(274));

  /** Of gets, heads and listings. */
  public static final Latency S3_GET =
      new Latency(Duration.ofMillis(63), Duration.ofMillis(78), Duration.ofMillis(118));

  private final Time time;
  private final Ids ids;

  public LatencyStore(ObjectStore store, Time time, Ids ids) {
    super(store);
    this.time = time;
    this.ids = ids;
  }

  /**
   * A distribution by three of its quantiles, straight lines in between; the fastest call takes
   * half of the median.
   */
  public record Latency(Duration p50, Duration p99, Duration p999) {
    /** The latency of one call, for a {@code fraction} uniformly distributed in [0, 1). */
    public Duration at(double fraction) {
      if (fraction < 0.5) {
        return between(p50.dividedBy(2), p50, fraction / 0.5);
      }
      if (fraction < 0.99) {
        return between(p50, p99, (fraction - 0.5) / 0.49);
      }
      return between(p99, p999, Math.min(1, (fraction - 0.99) / 0.009));
    }

    private static Duration between(Duration low, Duration high, double part) {
      return low.plusNanos((long) (high.minus(low).toNanos() * part));
    }
  }

  private void pause(Latency latency) {
    try {
      time.sleep(latency.at(ids.fraction()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted", true, e);
    }
  }

  @Override
  public Optional<StoredObject> get(String key) {
    pause(S3_GET);
    return super.get(key);
  }

  @Override
  public Optional<StoredObject> getRange(String key, long offset, int length) {
    pause(S3_GET);
    return super.getRange(key, offset, length);
  }

  @Override
  public Optional<ObjectHead> head(String key) {
    pause(S3_GET);
    return super.head(key);
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    pause(S3_PUT);
    return super.put(key, body, condition);
  }

  @Override
  public Iterator<ObjectHead> list(String prefix, String startAfter) {
    pause(S3_GET);
    return super.list(prefix, startAfter);
  }

  @Override
  public void delete(String key) {
    pause(S3_PUT);
    super.delete(key);
  }
}
