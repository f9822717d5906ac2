package io.wings.ingestor.lane;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ForwardingStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import java.util.function.BiConsumer;

/** Shows every put before it is made. */
final class Watching extends ForwardingStore {
  private final BiConsumer<String, Body> watcher;

  Watching(ObjectStore store, BiConsumer<String, Body> watcher) {
    super(store);
    this.watcher = watcher;
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    watcher.accept(key, body);
    return super.put(key, body, condition);
  }
}
