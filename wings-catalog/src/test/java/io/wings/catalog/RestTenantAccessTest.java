package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.rest.LocalRestServer;
import io.wings.catalog.rest.RestCatalogSettings;
import io.wings.common.auth.TestIssuer;
import io.wings.common.cluster.CatalogName;
import io.wings.common.config.HostPort;
import io.wings.common.grant.Access;
import io.wings.common.grant.Grants;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import io.wings.common.grant.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How roles of a cluster are known to a catalog of Wings' own: as any client, by the secret. */
class RestTenantAccessTest {
  private static final Namespace SALES = Namespace.of("sales");
  private static final TableIdentifier ORDERS = TableIdentifier.of(SALES, "orders");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private final TestIssuer issuer;
  private final LocalRestServer server;
  private final LocalTenants tenants;
  private volatile Grants grants = Grants.NONE;

  RestTenantAccessTest(@TempDir Path directory) throws IOException {
    this.issuer = new TestIssuer(Files.createDirectories(directory.resolve("issuer")));
    this.server =
        new LocalRestServer(
            directory.resolve("remote"),
            new RestCatalogSettings(
                new HostPort("127.0.0.1", 0),
                Optional.empty(),
                issuer.authenticator(),
                new Access.Granted(() -> grants)));
    this.tenants = new LocalTenants(directory.resolve("local"));
    server.tenants().wings("main").close();
  }

  @AfterEach
  void close() {
    tenants.close();
    server.close();
  }

  private void grant(Privilege... privileges) {
    grants =
        grants.with(
            new Subject.Principal("wings"),
            new Scope.Catalog(new CatalogName("main")),
            Set.of(privileges));
  }

  private Map<String, String> secret(String property, String value) {
    return Map.of(
        "type",
        "rest",
        "uri",
        server.uri(),
        "warehouse",
        "main",
        "wings.local-root",
        server.tenants().warehouse("main"),
        property,
        value);
  }

  private static void append(Table table) {
    table
        .newAppend()
        .appendFile(
            DataFiles.builder(PartitionSpec.unpartitioned())
                .withPath(table.location() + "/data/a.parquet")
                .withFileSizeInBytes(10)
                .withRecordCount(1)
                .build())
        .commit();
  }

  @Test
  void theTokenOfASecretLetsRolesIn() {
    grant(Privilege.CREATE, Privilege.WRITE);
    for (Map<String, String> secret :
        java.util.List.of(
            secret("token", issuer.token("wings")),
            secret("credential", "wings:" + issuer.token("wings")))) {
      tenants.tenants().remove(new CatalogName("shop"));
      try (TenantCatalog shop = tenants.open("shop", secret)) {
        if (!shop.namespaces().namespaceExists(SALES)) {
          shop.namespaces().createNamespace(SALES);
          append(shop.catalog().createTable(ORDERS, SCHEMA));
        }
        append(shop.catalog().loadTable(ORDERS));
      }
    }
    try (TenantCatalog main = server.tenants().catalogs().open(new CatalogName("main"))) {
      assertThat(main.catalog().loadTable(ORDERS).snapshots()).hasSize(3);
    }
  }

  @Test
  void whatIsntGrantedToRolesIsForbiddenToThem() {
    grant(Privilege.CREATE, Privilege.READ);
    try (TenantCatalog shop = tenants.open("shop", secret("token", issuer.token("wings")))) {
      shop.namespaces().createNamespace(SALES);
      Table table = shop.catalog().createTable(ORDERS, SCHEMA);
      assertThatThrownBy(() -> append(table)).isInstanceOf(ForbiddenException.class);
      assertThat(shop.catalog().loadTable(ORDERS).snapshots()).isEmpty();
    }
  }

  @Test
  void aTokenThatIsNotGoodOpensNothingAndIsNotRepeated() {
    grant(Privilege.ADMIN);
    String expired = issuer.token("wings", TestIssuer.Flaw.EXPIRED);
    assertThatThrownBy(() -> tenants.open("shop", secret("token", expired)))
        .satisfies(error -> assertThat(error.toString()).doesNotContain(expired));
  }
}
