package io.wings.common.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class RoleEndpointTest {
  private volatile boolean metricsAreGuarded;
  private final RoleEndpoint endpoint =
      RoleEndpoint.start(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          Optional.empty(),
          Threads.virtual().executor("http"),
          authorization -> !metricsAreGuarded || authorization.equals("Bearer scrapes"));
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    http.close();
    endpoint.close();
  }

  private HttpResponse<String> send(String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + endpoint.port() + path);
    return http.send(
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private void assertAnswers(int status, String body, String path) throws Exception {
    HttpResponse<String> response = send("GET", path);
    assertEquals(body, response.body());
    assertEquals(status, response.statusCode());
  }

  @Test
  void isLiveAtOnceAndReadyWhenEveryPartIs() throws Exception {
    assertAnswers(200, "live\n", "/livez");
    assertAnswers(503, "starting\n", "/readyz");
    endpoint.readiness().notReady("broker", "no store");
    endpoint.readiness().ready("worker");
    assertAnswers(503, "broker: no store\n", "/readyz");
    endpoint.readiness().ready("broker");
    assertAnswers(200, "ready\n", "/readyz");
    endpoint.readiness().notReady("worker", "no broker");
    assertAnswers(503, "worker: no broker\n", "/readyz");
    assertAnswers(200, "live\n", "/livez");
  }

  @Test
  void showsMetersOfTheRoleTheJvmAndTheProcess() throws Exception {
    endpoint.registry().counter("wings.test.events", "kind", "a").increment(3);
    String text = send("GET", "/metrics").body();
    assertTrue(text.contains("wings_test_events_total{kind=\"a\"} 3.0"), text);
    assertTrue(text.contains("jvm_memory_used_bytes"), text);
    assertTrue(text.contains("process_uptime_seconds"), text);
  }

  @Test
  void showsResidentMemoryWhereTheKernelTellsIt() throws Exception {
    Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/status")), "there is no /proc");
    long resident = ProcessMemory.resident().orElseThrow();
    assertTrue(resident > 10L << 20, "resident " + resident);
    assertTrue(ProcessMemory.residentPeak().orElseThrow() >= resident / 2);
    String text = send("GET", "/metrics").body();
    assertTrue(text.contains("process_resident_memory_bytes "), text);
    assertTrue(text.contains("process_resident_memory_peak_bytes "), text);
  }

  @Test
  void answersNothingElse() throws Exception {
    assertEquals(404, send("GET", "/").statusCode());
    assertEquals(404, send("GET", "/livez/x").statusCode());
    assertEquals(405, send("POST", "/metrics").statusCode());
    assertEquals(200, send("HEAD", "/livez").statusCode());
  }

  /** Anybody who reaches the port could take a process out of service otherwise. */
  @Test
  void staysLiveWhateverManyOthersLeaveUnfinished() throws Exception {
    List<Socket> unfinished = new ArrayList<>();
    try {
      for (String path : List.of("/livez", "/readyz", "/metrics")) {
        for (int i = 0; i < 20; i++) {
          Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
          unfinished.add(socket);
          String head = "GET " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n";
          socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        }
      }
      for (Socket socket : unfinished) {
        socket.setSoTimeout(20_000);
        assertEquals(-1, socket.getInputStream().read(), "closed without an answer");
      }
      assertAnswers(200, "live\n", "/livez");
      assertEquals(200, send("GET", "/metrics").statusCode());
    } finally {
      for (Socket socket : unfinished) {
        socket.close();
      }
    }
  }

  @Test
  void metricsAreForWhoShowsTheTokenAndHealthIsForAll() throws Exception {
    metricsAreGuarded = true;
    assertEquals(401, send("GET", "/metrics").statusCode());
    assertEquals(200, send("GET", "/livez").statusCode());
    URI uri = URI.create("http://127.0.0.1:" + endpoint.port() + "/metrics");
    for (String shown : List.of("Bearer scrapes", "Bearer guesses")) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(uri).header("Authorization", shown).build(),
              HttpResponse.BodyHandlers.ofString());
      assertEquals(shown.equals("Bearer scrapes") ? 200 : 401, answer.statusCode(), shown);
    }
  }

  @Test
  void saysWhichAddressItCannotHave() {
    WingsException error =
        assertThrows(
            WingsException.class,
            () ->
                RoleEndpoint.start(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()),
                    Optional.empty(),
                    Runnable::run,
                    _ -> true));
    assertEquals("cannot-listen", error.code());
    assertTrue(error.toString().contains("" + endpoint.port()), error.toString());
    assertTrue(error.toString().contains("(--http)"), error.toString());
  }
}
