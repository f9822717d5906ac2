package io.wings.cli.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.metrics.RoleEndpoint;
import io.wings.common.time.Time;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.Tls;
import io.wings.common.tls.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoleFormatsTest {
  @TempDir private Path directory;

  private static String refused(int port, Optional<SSLContext> trusted) {
    WingsException error =
        assertThrows(
            WingsException.class,
            () -> RoleFormats.of("127.0.0.1:" + port, Optional.empty(), trusted));
    assertEquals("role-unreachable", error.code());
    return error.detail();
  }

  @Test
  void metricsByTlsSayWhichOptionIsMissing() throws Exception {
    TlsFiles files = new TestAuthority("mine").issue(directory, "role", "localhost");
    Threads threads = Threads.virtual();
    try (Tls tls = Tls.ofServer(files, Time.system(), threads);
        RoleEndpoint endpoint =
            RoleEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.of(tls),
                threads.executor("http"),
                _ -> true)) {
      String plain = refused(endpoint.port(), Optional.empty());
      assertTrue(plain.contains("say --metrics-ca FILE"), plain);
      Path authority = files.authorities().orElseThrow();
      String misnamed = refused(endpoint.port(), Optional.of(Tls.httpClient(authority, "wings")));
      assertTrue(misnamed.contains("--metrics-name the name that it bears"), misnamed);
    }
  }
}
