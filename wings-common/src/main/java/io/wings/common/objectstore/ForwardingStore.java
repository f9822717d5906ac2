package io.wings.common.objectstore;

import java.util.Iterator;
import java.util.Optional;

/** Another store, for those who change some of what it does. */
public abstract class ForwardingStore implements ObjectStore {
  private final ObjectStore store;

  protected ForwardingStore(ObjectStore store) {
    this.store = store;
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
  public PutOutcome put(String key, Body body, PutCondition condition) {
    return store.put(key, body, condition);
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
