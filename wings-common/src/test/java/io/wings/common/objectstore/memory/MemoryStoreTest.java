package io.wings.common.objectstore.memory;

import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStoreContract;

class MemoryStoreTest extends ObjectStoreContract {
  private final MemoryStore store = new MemoryStore();

  @Override
  protected ObjectStore openHandle() {
    return store;
  }
}
