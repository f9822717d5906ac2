package io.wings.ingestor.lane;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoredObject;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.BiConsumer;

/** Shows every put before it is made. */
record Watching(ObjectStore store, BiConsumer<String, Body> watcher) implements ObjectStore {
  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    watcher.accept(key, body);
    return store.put(key, body, condition);
  }

  @Override
  public Optional<StoredObject> get(String key) {
    return store.get(key);
  }

  @Override
  public Optional<StoredObject> getRange(String key, long offset, int length) {
    return store.getRange(key, offset, length);
  }

  @Override
  public Optional<ObjectHead> head(String key) {
    return store.head(key);
  }

  @Override
  public Iterator<ObjectHead> list(String prefix, String startAfter) {
    return store.list(prefix, startAfter);
  }

  @Override
  public void delete(String key) {
    store.delete(key);
  }

  @Override
  public String address() {
    return store.address();
  }

  @Override
  public void close() {
    store.close();
  }
}
