package io.wings.cli.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.TlsFiles;
import java.nio.file.Path;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is there, asked in the wrong way. */
@SuppressWarnings("try") // Closing a server may be interrupted.
class WrongSchemeTest {
  @TempDir private Path directory;

  private static String refused(String server, BufferAllocator allocator) {
    try (WingsClient client = WingsClient.connect(server, null, allocator)) {
      WingsException error = assertThrows(WingsException.class, client::tables);
      assertEquals("server-unreachable", error.code());
      return error.detail();
    }
  }

  @Test
  void aServerWithTlsSaysWhichOptionIsMissing() throws Exception {
    TlsFiles files = new TestAuthority("mine").issue(directory, "server", "localhost");
    try (BufferAllocator allocator = new RootAllocator();
        FlightServer server =
            FlightServer.builder(
                    allocator, Location.forGrpcTls("127.0.0.1", 0), new NoOpFlightProducer())
                .useTls(files.certificates().toFile(), files.key().toFile())
                .build()
                .start()) {
      String untrusted = refused("grpc+tls://127.0.0.1:" + server.getPort(), allocator);
      assertTrue(untrusted.contains("--server-ca FILE"), untrusted);
      String plain = refused("grpc://127.0.0.1:" + server.getPort(), allocator);
      assertTrue(plain.contains("if it serves TLS, say grpc+tls://"), plain);
    }
  }

  @Test
  void aServerWithoutTlsIsNotToBeAskedByTls() throws Exception {
    try (BufferAllocator allocator = new RootAllocator();
        FlightServer server =
            FlightServer.builder(
                    allocator, Location.forGrpcInsecure("127.0.0.1", 0), new NoOpFlightProducer())
                .build()
                .start()) {
      String secured = refused("grpc+tls://127.0.0.1:" + server.getPort(), allocator);
      assertTrue(secured.contains("if it serves without, say grpc://"), secured);
    }
  }
}
