package io.wings.common.objectstore.s3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreProbe;
import io.wings.common.time.Time;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class S3ProxyServerTest {
  /** Whether contenders meet is chance, with this server nearly always. */
  private static final int CHECKS = 25;

  /** Trap 14: S3Proxy without the fixture's locks checks first and writes then. */
  @Test
  void theProbeRefusesS3ProxyAsItIs() {
    try (S3ProxyServer server = S3ProxyServer.startUnlocked();
        ObjectStore store = ObjectStores.open(server.address("unsafe"), server.options())) {
      assertTrue(
          IntStream.range(0, CHECKS)
              .mapToObj(_ -> verdict(store))
              .anyMatch("store-unsafe"::equals));
    }
  }

  /** Trap 14. */
  @ParameterizedTest
  @EnumSource
  void theProbeRefusesAStoreThatBreaksConditionsEachTime(S3ProxyServer.Unsafe kind) {
    try (S3ProxyServer server = S3ProxyServer.start(kind);
        ObjectStore store = ObjectStores.open(server.address("unsafe"), server.options())) {
      assertEquals("store-unsafe", verdict(store));
    }
  }

  /** The code with which a check ends. */
  private static String verdict(ObjectStore store) {
    try {
      StoreProbe.check(store, Time.system(), Ids.secure(), Threads.virtual());
      return "fit";
    } catch (WingsException e) {
      return e.code();
    }
  }

  @Test
  void keepsObjectsInADirectoryOverARestart(@TempDir Path directory) {
    byte[] content = {1, 2, 3};
    try (S3ProxyServer server = S3ProxyServer.start(directory);
        ObjectStore store = ObjectStores.open(server.address("kept"), server.options())) {
      assertInstanceOf(
          PutOutcome.Written.class, store.put("a/k", Body.of(content), PutCondition.ifAbsent()));
    }
    try (S3ProxyServer server = S3ProxyServer.start(directory);
        ObjectStore store = ObjectStores.open(server.address("kept"), server.options())) {
      assertArrayEquals(content, store.get("a/k").orElseThrow().bytes());
      assertEquals(
          new PutOutcome.Lost(), store.put("a/k", Body.of(content), PutCondition.ifAbsent()));
    }
  }
}
