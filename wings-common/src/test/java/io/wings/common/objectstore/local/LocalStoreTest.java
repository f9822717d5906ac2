package io.wings.common.objectstore.local;

import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class LocalStoreTest extends ObjectStoreContract {
  @TempDir Path directory;

  @Override
  protected ObjectStore openHandle() {
    return LocalStore.open(directory.resolve("store"), Ids.secure());
  }
}
