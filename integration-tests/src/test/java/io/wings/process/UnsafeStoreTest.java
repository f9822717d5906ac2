package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.objectstore.s3.S3ProxyServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Trap 14, as an operator meets it: a role on a store that doesn't hold conditions. */
class UnsafeStoreTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
  void aRoleRefusesTheStoreByName(S3ProxyServer.Unsafe kind) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "of-the-test");
    try (S3ProxyServer server = S3ProxyServer.start(kind)) {
      var key = server.options().credentials().orElseThrow();
      WingsProcess.Ended role =
          WingsProcess.run(
              directory,
              Map.of(
                  "AWS_ACCESS_KEY_ID",
                  key.accessKeyId(),
                  "AWS_SECRET_ACCESS_KEY",
                  key.secretAccessKey()),
              List.of(
                  "broker",
                  "--store",
                  server.address("cluster"),
                  "--s3-endpoint",
                  server.endpoint().toString(),
                  "--s3-region",
                  "us-east-1",
                  "--s3-path-style",
                  "--listen",
                  "127.0.0.1:0",
                  "--http",
                  "127.0.0.1:0",
                  "--cluster-token-file",
                  token.toString()));

      assertNotEquals(0, role.code());
      assertTrue(role.err().contains("store-unsafe"), role.err());
      assertTrue(role.err().contains(server.address("cluster")), role.err());
    }
  }
}
