package io.wings.worker.materialize;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoredObject;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Optional;

/** One object that was read whole, as the store that a segment reader reads it from. */
record FetchedSegment(StoredObject object) implements ObjectStore {
  @Override
  public Optional<StoredObject> get(String key) {
    return key.equals(object.head().key()) ? Optional.of(object) : Optional.empty();
  }

  @Override
  public Optional<StoredObject> getRange(String key, long offset, int length) {
    return get(key)
        .map(
            whole -> {
              int size = whole.bytes().length;
              int from = offset < 0 ? Math.max(0, size - length) : (int) Math.min(offset, size);
              int to = (int) Math.min((long) from + length, size);
              return new StoredObject(whole.head(), Arrays.copyOfRange(whole.bytes(), from, to));
            });
  }

  @Override
  public Optional<ObjectHead> head(String key) {
    return get(key).map(StoredObject::head);
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    throw new UnsupportedOperationException("read-only");
  }

  @Override
  public Iterator<ObjectHead> list(String prefix, String startAfter) {
    throw new UnsupportedOperationException("one object");
  }

  @Override
  public void delete(String key) {
    throw new UnsupportedOperationException("read-only");
  }

  @Override
  public String address() {
    return "memory:" + object.head().key();
  }

  @Override
  public void close() {}
}
