package io.wings.engines;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.catalog.CatalogSettings;
import io.wings.catalog.Secrets;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.TenantCatalogs;
import io.wings.catalog.Tenants;
import io.wings.catalog.io.Reach;
import io.wings.catalog.secret.SecretPointer;
import io.wings.cli.Wings;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.time.SteppedTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.catalog.Catalog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/**
 * Secrets in moto's Secrets Manager, read as in earnest: endpoint and the process's credentials
 * come from the SDK's own settings.
 */
@Tag("engines")
@Timeout(120)
class AwsSecretsManagerTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final CatalogName MAIN = new CatalogName("main");
  private static final String POINTER = "aws-secretsmanager://eu-central-1/wings/main";
  private static final String PLANTED = "PLANTED-hunter2";

  @TempDir private Path directory;
  private final List<String> set = new ArrayList<>();
  private Moto moto;
  private SecretsManagerClient aws;

  @BeforeEach
  void start() throws IOException {
    moto = Moto.start();
    set("aws.endpointUrlSecretsManager", moto.uri());
    set("aws.accessKeyId", "of-the-process");
    set("aws.secretAccessKey", PLANTED);
    aws =
        SecretsManagerClient.builder()
            .region(Region.EU_CENTRAL_1)
            .httpClientBuilder(Apache5HttpClient.builder())
            .build();
  }

  private void set(String property, String value) {
    System.setProperty(property, value);
    set.add(property);
  }

  @AfterEach
  void stop() {
    set.forEach(System::clearProperty);
    if (aws != null) {
      aws.close();
    }
    if (moto != null) {
      moto.close();
    }
  }

  private static Catalog open(TenantCatalogs catalogs) {
    try (TenantCatalog catalog = catalogs.open(MAIN)) {
      return catalog.catalog();
    }
  }

  /**
   * Rotation, then an outage: a new version is in use in time, and stays when the store is gone.
   */
  @Test
  void aRotatedSecretComesIntoUseAndOutlivesItsStore() throws Exception {
    String arn = aws.createSecret(ask -> ask.name("wings/main").secretString(secret("1"))).arn();
    SteppedTime time = new SteppedTime();
    Ids ids = Ids.secure();
    try (ObjectStore store =
        ObjectStores.open(directory.resolve("cluster").toString(), StoreOptions.defaults())) {
      Tenants tenants = new Tenants(store, time, ids);
      tenants.add(MAIN, SecretPointer.parse("aws-secretsmanager://eu-central-1/" + arn));
      CatalogSettings settings =
          new CatalogSettings(
              store.address(),
              CatalogSettings.DEFAULT_SECRET_MAX_AGE,
              directory.resolve("temporary"),
              Optional.empty(),
              new Reach(true, true));
      try (TenantCatalogs catalogs =
          new TenantCatalogs(
              tenants, new Secrets(_ -> null), settings, time, ids, Threads.virtual())) {
        Catalog first = open(catalogs);
        aws.putSecretValue(ask -> ask.secretId(arn).secretString(secret("2")));
        assertSame(first, open(catalogs));
        time.sleep(settings.secretMaxAge());
        Catalog second = open(catalogs);
        assertNotSame(first, second);

        moto.close();
        time.sleep(settings.secretMaxAge());
        assertSame(second, open(catalogs));
      }
      try (TenantCatalogs fresh =
          new TenantCatalogs(
              tenants, new Secrets(_ -> null), settings, time, ids, Threads.virtual())) {
        WingsException gone = assertThrows(WingsException.class, () -> open(fresh));
        assertEquals("secret-store-unavailable", gone.code());
        assertFalse(gone.getMessage().contains(PLANTED), gone.getMessage());
      }
    }
  }

  private String secret(String more) {
    return JSON.createObjectNode()
        .put("type", "jdbc")
        .put("uri", "jdbc:sqlite:" + directory.resolve("warehouse/catalog.db"))
        .put("warehouse", "file://" + directory.resolve("warehouse"))
        .put("table-default.more", more)
        .toString();
  }

  @Test
  void aTenantsSecretIsCheckedInItsStore() throws IOException {
    Ended missing = add();
    assertEquals(3, missing.code());
    assertTrue(
        missing.text().contains("secret-unreadable: can't read " + POINTER + ": there is no such"),
        missing.text());

    aws.createSecret(
        ask ->
            ask.name("wings/main")
                .secretString("{\"type\":\"wings\",\"tokn\":\"" + PLANTED + "\"}"));
    Ended misspelt = add();
    assertEquals(3, misspelt.code());
    assertTrue(misspelt.text().contains("catalog-refused: " + POINTER), misspelt.text());
    assertTrue(misspelt.text().contains("tokn"), misspelt.text());
    assertFalse(misspelt.text().contains(PLANTED), misspelt.text());

    aws.putSecretValue(ask -> ask.secretId("wings/main").secretString(secret("1")));
    Ended added = add();
    assertEquals(0, added.code(), added.text());

    aws.deleteSecret(ask -> ask.secretId("wings/main"));
    assertTrue(add().text().contains("or it is being deleted"));
  }

  /** Trap 39: the process's own credentials read secrets, and nothing of a tenant's. */
  @Test
  void aTenantWithoutAKeyDoesNotGetTheProcesss() throws IOException {
    aws.createSecret(
        ask ->
            ask.name("wings/main")
                .secretString(
                    "{\"type\":\"wings\",\"warehouse\":\"s3://bucket/w\",\"client.region\":"
                        + "\"eu-central-1\"}"));
    assertEquals(0, add().code());
    Ended listed = wings("table", "adopt", "main.shop.orders");
    assertTrue(listed.text().contains("s3-credentials-missing"), listed.text());
  }

  /** How a command ended, and all that it said. */
  private record Ended(int code, String text) {}

  private Ended add() {
    return wings("tenant", "add", "main", "--secret", POINTER);
  }

  private Ended wings(String... arguments) {
    StringWriter said = new StringWriter();
    CommandLine line = Wings.commandLine();
    line.setOut(new PrintWriter(said, true));
    line.setErr(new PrintWriter(said, true));
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--store", directory.resolve("cluster").toString()));
    return new Ended(line.execute(all.toArray(String[]::new)), said.toString());
  }
}
