package io.wings.cli.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FreePortTest {
  @Test
  void takesAPortThatIsFreeAndZero() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    FreePort.require("--listen", new HostPort("127.0.0.1", port));
    FreePort.require("--listen", new HostPort("127.0.0.1", 0));
  }

  @Test
  void namesTheOptionAndWhoHasThePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      HostPort taken = new HostPort("127.0.0.1", socket.getLocalPort());
      WingsException error =
          assertThrows(WingsException.class, () -> FreePort.require("--catalog", taken));
      assertEquals("port-in-use", error.code());
      String message = String.valueOf(error.getMessage());
      assertTrue(message.contains("port " + taken.port() + " is taken by"), message);
      assertTrue(message.contains("another --catalog"), message);
      if (Files.isReadable(Path.of("/proc/net/tcp"))) {
        assertTrue(message.contains("process " + ProcessHandle.current().pid()), message);
      }
    }
  }

  @Test
  void refusesAnAddressThatIsNotThisMachines() {
    WingsException error =
        assertThrows(
            WingsException.class,
            () -> FreePort.require("--listen", new HostPort("192.0.2.1", 8815)));
    assertEquals("address-unusable", error.code());
  }
}
