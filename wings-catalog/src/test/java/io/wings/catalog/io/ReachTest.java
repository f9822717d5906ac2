package io.wings.catalog.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.common.error.WingsException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.io.InputFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReachTest {
  private static final Reach CLOUD = Reach.of("s3://bucket/wings", Optional.empty(), false);
  private static final Reach PLAINTEXT = Reach.of("s3://bucket/wings", Optional.empty(), true);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://10.0.0.1/latest/meta-data?x=",
        "https://10.0.0.1/?",
        "https://10.0.0.1/#",
        "https://10.0.0.1/a#b",
        "https://user@10.0.0.1/",
        "https://@10.0.0.1/",
        "ftp://10.0.0.1/",
        "file:///etc/passwd",
        "10.0.0.1",
        "https:///a",
        "https://a b/"
      })
  void refusesWhatIsNoPlainAddress(String address) {
    assertThatThrownBy(() -> new Reach(true, true).checkCatalog("uri", address))
        .isInstanceOf(WingsException.class)
        .hasMessage(
            "catalog-refused: expected http(s)://host/path, without a user, a query and a fragment,"
                + " in \"uri\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.8.9.1",
        "localhost",
        "[::1]",
        "0.0.0.0",
        "0.0.0.1",
        "[::]",
        "169.254.169.254",
        "169.254.170.2",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "168.63.129.16",
        "[::ffff:169.254.169.254]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::a9fe:a9fe]",
        "224.0.0.1",
        "2130706433"
      })
  void refusesTheMachineAndItsCloudsMetadata(String host) {
    assertThatThrownBy(() -> CLOUD.checkCatalog("uri", "https://" + host + "/v1"))
        .isInstanceOf(WingsException.class)
        .hasMessageMatching("catalog-refused: .*(address of this machine|expected http).*")
        .hasMessageNotContaining(host + "/v1");
    String bare = host.replaceAll("[\\[\\]]", "");
    assertThatThrownBy(() -> CLOUD.resolve(bare))
        .isInstanceOf(WingsException.class)
        .hasMessageContaining("address of this machine");
    assertThatCode(() -> new Reach(true, true).resolve(bare)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.1.2.3", "192.168.0.7", "203.0.113.9", "100.64.0.1", "[2001:db8::1]"})
  void otherAddressesMayBeReached(String host) throws UnknownHostException {
    CLOUD.checkCatalog("uri", "https://" + host + ":8443/api/catalog");
    String bare = host.replaceAll("[\\[\\]]", "");
    assertThat(CLOUD.resolve(bare)).containsExactly(InetAddress.getByName(bare));
  }

  @Test
  void refusesPlaintextUnlessTheOperatorAllowsIt() {
    assertThatThrownBy(() -> CLOUD.checkCatalog("uri", "http://10.1.2.3/"))
        .hasMessageStartingWith("catalog-refused: \"uri\" is http://")
        .hasMessageContaining("--catalog-http");
    PLAINTEXT.checkCatalog("uri", "http://10.1.2.3/");
    assertThatThrownBy(() -> PLAINTEXT.checkCatalog("uri", "http://127.0.0.1/"))
        .hasMessageContaining("address of this machine");
  }

  @ParameterizedTest
  @CsvSource({
    "s3://bucket/wings,, false",
    "s3://bucket/wings, https://minio.example:9000, false",
    "s3://bucket/wings, http://127.0.0.1:9000, true",
    "s3://bucket/wings, http://localhost:9000, true",
    "file:///var/wings,, true"
  })
  void aClusterOnOneMachineReachesThatMachine(String address, URI endpoint, boolean local) {
    assertThat(Reach.of(address, Optional.ofNullable(endpoint), false))
        .isEqualTo(new Reach(local, local));
  }

  /** Whatever a name led to when the catalog was opened. */
  @Test
  void objectsAreReadFromNowhereElseEither(@TempDir Path staging) throws Exception {
    try (ServerSocket trap = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        TenantFiles files = new TenantFiles(LocationPolicy.any(), staging, PLAINTEXT)) {
      trap.setSoTimeout((int) Duration.ofMillis(100).toMillis());
      S3Options options =
          S3Options.of(
              Map.of(
                  S3Options.ACCESS_KEY_ID,
                  "key",
                  S3Options.SECRET_ACCESS_KEY,
                  "secret",
                  S3Options.PATH_STYLE,
                  "true",
                  S3Options.ENDPOINT,
                  "http://127.0.0.1:" + trap.getLocalPort()));
      try (KeepingFileIO io = files.open(options)) {
        InputFile file = io.newInputFile("s3://bucket/x");
        assertThatThrownBy(file::getLength)
            .hasStackTraceContaining("catalog-refused: the host 127.0.0.1 is at an address");
      }
      assertThatThrownBy(trap::accept).isInstanceOf(java.net.SocketTimeoutException.class);
    }
  }
}
