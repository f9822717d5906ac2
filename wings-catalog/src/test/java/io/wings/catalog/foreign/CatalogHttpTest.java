package io.wings.catalog.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.io.Reach;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.iceberg.exceptions.RESTException;
import org.apache.iceberg.rest.auth.AuthSession;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class CatalogHttpTest {
  private static final Threads THREADS = Threads.virtual();

  private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

  /** What is to have happened within minutes has within moments. */
  private final Time time = new ShortTime();

  CatalogHttpTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  private CatalogHttp client(Reach reach) throws NoSuchAlgorithmException {
    return CatalogHttp.open(
            Map.of("uri", "http://localhost:" + server.getLocalPort()),
            reach,
            SSLContext.getDefault(),
            time,
            THREADS)
        .withAuthSession(AuthSession.EMPTY);
  }

  private static void ask(CatalogHttp client) {
    Object _ = client.get("v1/config", Map.of(), ConfigResponse.class, Map.of(), _ -> {});
  }

  /** A name that led elsewhere when the catalog was opened gets nobody past the check. */
  @Test
  void checksTheAddressThatItConnectsTo() throws IOException, NoSuchAlgorithmException {
    server.setSoTimeout(100);
    CatalogHttp client = client(new Reach(false, true));

    assertThatThrownBy(() -> ask(client))
        .isInstanceOf(WingsException.class)
        .hasMessageStartingWith("catalog-refused: the host localhost is at an address");
    assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
  }

  /**
   * Answers each connection with {@code head}, then {@code again} until the client goes.
   *
   * @param pause after each
   */
  private void serve(String head, String again, Duration pause) {
    Thread _ =
        THREADS.start(
            "server",
            () -> {
              while (!server.isClosed()) {
                try (Socket client = server.accept()) {
                  OutputStream out = client.getOutputStream();
                  out.write(head.getBytes(UTF_8));
                  while (true) {
                    out.write(again.getBytes(UTF_8));
                    Thread.sleep(pause);
                  }
                } catch (IOException _) {
                  // The client has gone, or the test has ended.
                } catch (InterruptedException _) {
                  return;
                }
              }
            });
  }

  /** The time is up between two times that it is asked. */
  @Test
  void whoseServerBreaksOffIsAskedAgainForAWhile() throws NoSuchAlgorithmException {
    Thread _ =
        THREADS.start(
            "server",
            () -> {
              try {
                while (true) {
                  server.accept().close();
                }
              } catch (IOException _) {
                // The test has ended.
              }
            });
    CatalogHttp client = client(new Reach(true, true));

    assertThatThrownBy(() -> ask(client))
        .isInstanceOf(RESTException.class)
        .hasCauseInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n|{",
        "HTTP/1.1 200 OK\r\nX-Slow: |x",
        "|HTTP/1.1 102 Processing\r\n\r\n"
      })
  void whoAnswersSlowlyIsntWaitedForForEver(String answer) throws NoSuchAlgorithmException {
    String[] parts = answer.split("\\|", -1);
    serve(parts[0], parts[1], Duration.ofMillis(20));
    CatalogHttp client = client(new Reach(true, true));

    assertThatThrownBy(() -> ask(client))
        .isInstanceOf(RESTException.class)
        .hasCauseInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"HTTP/1.1 200 OK\r\n|X-More: yes\r\n", "HTTP/1.1 200 OK\r\nX-Long: |xxxxxxxx"})
  void headersHaveAnEnd(String answer) throws NoSuchAlgorithmException {
    String[] parts = answer.split("\\|", -1);
    serve(parts[0], parts[1], Duration.ZERO);
    CatalogHttp client = client(new Reach(true, true));

    assertThatThrownBy(() -> ask(client))
        .isInstanceOf(RESTException.class)
        .cause()
        .isInstanceOf(MessageConstraintException.class);
  }

  private static final class ShortTime implements Time {
    @Override
    public long nanos() {
      return Time.system().nanos();
    }

    @Override
    public Instant now() {
      return Time.system().now();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
      Time.system().sleep(duration.dividedBy(400));
    }

    @Override
    public boolean await(Lock lock, Condition condition, Duration timeout)
        throws InterruptedException {
      return Time.system().await(lock, condition, timeout);
    }
  }
}
