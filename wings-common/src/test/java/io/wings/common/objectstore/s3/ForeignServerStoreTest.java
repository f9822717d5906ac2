package io.wings.common.objectstore.s3;

import static java.util.Objects.requireNonNull;

import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStoreContract;
import io.wings.common.objectstore.ObjectStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Through servers that Wings didn't write, those whose binaries the environment names. */
@ParameterizedClass
@EnumSource
class ForeignServerStoreTest extends ObjectStoreContract {
  private static final AtomicInteger PLACES = new AtomicInteger();

  @TempDir private static Path directory;
  private static @Nullable ForeignServer server;

  private final String address = server().address("place-" + PLACES.incrementAndGet() + "/deeper");

  ForeignServerStoreTest(ForeignServer.Kind kind) {
    requireNonNull(kind);
  }

  @BeforeParameterizedClassInvocation
  static void startServer(ForeignServer.Kind kind) throws IOException {
    kind.assumeNamed();
    server = ForeignServer.start(kind, Files.createDirectory(directory.resolve(kind.name())));
  }

  @AfterParameterizedClassInvocation
  static void stopServer() {
    if (server != null) {
      server.close();
    }
    server = null;
  }

  private static ForeignServer server() {
    return requireNonNull(server);
  }

  @Override
  protected ObjectStore openHandle() {
    return ObjectStores.open(address, server().options());
  }
}
