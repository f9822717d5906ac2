package io.wings.common.objectstore.s3;

import static java.util.Objects.requireNonNull;

import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStoreContract;
import io.wings.common.objectstore.ObjectStores;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** Through Versity S3 Gateway, a store that Wings didn't write. */
@EnabledIfEnvironmentVariable(
    named = "WINGS_VERSITYGW",
    matches = ".+",
    disabledReason = "it names no binary of Versity S3 Gateway; .ci/run builds one")
class VersityGatewayStoreTest extends ObjectStoreContract {
  private static final AtomicInteger PLACES = new AtomicInteger();

  @TempDir private static Path directory;
  private static @Nullable ForeignServer server;

  private final String address = server().address("place-" + PLACES.incrementAndGet() + "/deeper");

  @BeforeAll
  static void startServer() throws IOException {
    server = ForeignServer.start(ForeignServer.Kind.VERSITYGW, directory);
  }

  @AfterAll
  static void stopServer() {
    server().close();
  }

  private static ForeignServer server() {
    return requireNonNull(server);
  }

  @Override
  protected ObjectStore openHandle() {
    return ObjectStores.open(address, server().options());
  }
}
