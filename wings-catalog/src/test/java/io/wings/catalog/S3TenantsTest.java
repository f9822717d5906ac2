package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.s3.S3ProxyServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Tenants whose warehouse is on S3. */
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class S3TenantsTest {
  private static final Namespace SALES = Namespace.of("sales");
  private static final TableIdentifier ORDERS = TableIdentifier.of(SALES, "orders");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private static final S3ProxyServer SERVER = S3ProxyServer.start();

  private final LocalTenants tenants;

  S3TenantsTest(@TempDir Path directory) {
    this.tenants = new LocalTenants(directory);
  }

  @AfterAll
  static void stopServer() {
    SERVER.close();
  }

  @AfterEach
  void close() {
    tenants.close();
  }

  private static Map<String, String> reach() {
    return Map.of(
        "s3.endpoint",
        SERVER.endpoint().toString(),
        "s3.path-style-access",
        "true",
        "client.region",
        "us-east-1");
  }

  private static Map<String, String> secret(String name) {
    Map<String, String> properties = new HashMap<>(reach());
    properties.put("type", "wings");
    properties.put("warehouse", SERVER.address(name));
    properties.put("s3.access-key-id", "test-key");
    properties.put("s3.secret-access-key", "test-secret");
    return properties;
  }

  private static List<String> keys(String prefix) {
    List<String> keys = new ArrayList<>();
    try (ObjectStore store = ObjectStores.open(SERVER.address(prefix), SERVER.options())) {
      store.list("", "").forEachRemaining((ObjectHead head) -> keys.add(head.key()));
    }
    return keys;
  }

  @Test
  void opensItsOwnCatalogWithTheTenantsKey() {
    try (TenantCatalog catalog = tenants.open("main", secret("wh-main"))) {
      catalog.namespaces().createNamespace(SALES);
      Table table = catalog.catalog().createTable(ORDERS, SCHEMA);
      table.updateProperties().set("owner", "me").commit();

      assertThat(catalog.catalog().loadTable(ORDERS).properties()).containsEntry("owner", "me");
    }
    assertThat(keys("wh-main"))
        .anyMatch(key -> key.equals("_wings/names.json"))
        .anyMatch(key -> key.matches("_wings/tables/[0-9a-f]{32}\\.json"))
        .anyMatch(key -> key.matches("sales/orders-[0-9a-f]{32}/metadata/00001-.*"));
  }

  @Test
  void readsWritesListsAndDeletesFiles() throws IOException {
    try (TenantCatalog catalog = tenants.open("files", secret("wh-files"))) {
      catalog.namespaces().createNamespace(SALES);
      Table table = catalog.catalog().createTable(ORDERS, SCHEMA);
      String location = table.location() + "/data/a b=c.bin";
      // Larger than one part, so that it is staged and uploaded in several.
      byte[] content = new byte[40 << 20];
      content[content.length - 1] = 7;
      try (OutputStream out = table.io().newOutputFile(location).create()) {
        out.write(content);
      }
      InputFile file = table.io().newInputFile(location);
      assertThat(file.getLength()).isEqualTo(content.length);
      try (var in = file.newStream()) {
        in.seek(content.length - 1);
        assertThat(in.read()).isEqualTo(7);
      }
      assertThat(((SupportsPrefixOperations) table.io()).listPrefix(table.location() + "/data/"))
          .extracting(FileInfo::location)
          .containsExactly(location);

      table.io().deleteFile(location);
      ((SupportsBulkOperations) table.io()).deleteFiles(List.of(location));
      assertThat(table.io().newInputFile(location).exists()).isTrue();

      FileIO deleting = catalog.deletingIo(table);
      ((SupportsBulkOperations) deleting).deleteFiles(List.of(location));
      assertThat(table.io().newInputFile(location).exists()).isFalse();
    }
  }

  @Test
  void stagesUploadsInADirectoryOfTheTenant() throws IOException {
    try (TenantCatalog catalog = tenants.open("staged", secret("wh-staged"))) {
      catalog.namespaces().createNamespace(SALES);
      Table table = catalog.catalog().createTable(ORDERS, SCHEMA);
      try (OutputStream out = table.io().newOutputFile(table.location() + "/data/x").create()) {
        out.write(1);
        Path staging = tenants.temporaryDirectory().resolve("staged");
        try (var files = Files.list(staging)) {
          assertThat(files).hasSize(1);
        }
      }
    }
  }

  /** Trap 39. */
  @Test
  void neverUsesTheKeyOfTheProcess() {
    System.setProperty("aws.accessKeyId", "test-key");
    System.setProperty("aws.secretAccessKey", "test-secret");
    try {
      Map<String, String> keyless = secret("wh-keyless");
      keyless.remove("s3.access-key-id");
      keyless.remove("s3.secret-access-key");
      assertThatThrownBy(() -> tenants.open("keyless", keyless))
          .hasMessageStartingWith("s3-credentials-missing: catalog keyless: ");
      Map<String, String> half = secret("wh-half");
      half.remove("s3.secret-access-key");
      assertThatThrownBy(() -> tenants.open("half", half))
          .hasMessageStartingWith("s3-credentials-incomplete: catalog half: ");
      Map<String, String> wrong = secret("wh-wrong");
      wrong.put("s3.secret-access-key", "PLANTED-wrong");
      assertThatThrownBy(() -> tenants.open("wrong", wrong))
          .hasMessageStartingWith("catalog-unavailable: catalog wrong ")
          .hasMessageNotContaining("PLANTED");
    } finally {
      System.clearProperty("aws.accessKeyId");
      System.clearProperty("aws.secretAccessKey");
    }
    assertThat(keys("wh-keyless")).isEmpty();
  }

  /** Trap 39. */
  @Test
  void neverLooksUpARegionOfTheProcess() {
    System.setProperty("aws.region", "us-east-1");
    try {
      Map<String, String> nowhere = secret("wh-nowhere");
      nowhere.remove("s3.endpoint");
      nowhere.remove("client.region");
      assertThatThrownBy(() -> tenants.open("nowhere", nowhere))
          .hasMessageStartingWith("s3-region-missing: catalog nowhere: ");
    } finally {
      System.clearProperty("aws.region");
    }
  }

  @Test
  void refusesObjectsThatWouldBeOthersThanWereChecked() {
    try (TenantCatalog catalog = tenants.open("odd", secret("wh-odd"))) {
      for (String location :
          List.of(
              SERVER.address("x/../y"),
              SERVER.address("x?y"),
              SERVER.address("x#y"),
              SERVER.address("wh-odd/_wings/x"),
              SERVER.address("wh-odd/_wings").replace("s3://", "s3a://"),
              SERVER.address("wh-odd/_wings").replace("s3://", "S3://"))) {
        assertThatThrownBy(() -> catalog.checkLocation(location))
            .hasMessageStartingWith("location-refused: ");
      }
    }
  }
}
