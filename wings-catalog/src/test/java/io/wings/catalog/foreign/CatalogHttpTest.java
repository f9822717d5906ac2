package io.wings.catalog.foreign;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.io.Reach;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.apache.iceberg.rest.auth.AuthSession;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.junit.jupiter.api.Test;

class CatalogHttpTest {
  /** A name that led elsewhere when the catalog was opened gets nobody past the check. */
  @Test
  void checksTheAddressThatItConnectsTo() throws IOException, NoSuchAlgorithmException {
    try (ServerSocket trap = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        CatalogHttp http =
            CatalogHttp.open(
                Map.of("uri", "http://localhost:" + trap.getLocalPort()),
                new Reach(false, true),
                SSLContext.getDefault())) {
      trap.setSoTimeout(100);
      CatalogHttp session = http.withAuthSession(AuthSession.EMPTY);

      assertThatThrownBy(
              () -> session.get("v1/config", Map.of(), ConfigResponse.class, Map.of(), _ -> {}))
          .isInstanceOf(WingsException.class)
          .hasMessageStartingWith("catalog-refused: the host localhost is at an address");
      assertThatThrownBy(trap::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }
}
