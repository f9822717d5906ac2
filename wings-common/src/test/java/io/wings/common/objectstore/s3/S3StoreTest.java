package io.wings.common.objectstore.s3;

import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStoreContract;
import io.wings.common.objectstore.ObjectStores;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;

/** Through S3Proxy, in this process. */
class S3StoreTest extends ObjectStoreContract {
  private static final AtomicInteger PLACES = new AtomicInteger();
  private static final S3ProxyServer SERVER = S3ProxyServer.start();

  private final String address = SERVER.address("place-" + PLACES.incrementAndGet() + "/deeper");

  @AfterAll
  static void stopServer() {
    SERVER.close();
  }

  @Override
  protected ObjectStore openHandle() {
    return ObjectStores.open(address, SERVER.options());
  }
}
