package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.io.LocalFileIO;
import io.wings.catalog.rest.LocalRestServer;
import io.wings.catalog.rest.TamperingProxy;
import io.wings.catalog.rest.TamperingProxy.Reply;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trap 38: a tenant whose catalog's server lies, to get at another tenant's files. */
class HostileCatalogsTest {
  private static final Namespace SALES = Namespace.of("sales");
  private static final TableIdentifier ORDERS = TableIdentifier.of(SALES, "orders");
  private static final String OWN_TABLE = "GET /v1/evil/namespaces/sales/tables/orders";
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private final LocalRestServer server;
  private final TamperingProxy liar;
  private final LocalTenants tenants;
  private TenantCatalog victim;
  private TenantCatalog evil;
  private Table victims;

  HostileCatalogsTest(@TempDir Path directory) throws IOException {
    this.server = new LocalRestServer(directory.resolve("remote"));
    this.liar = new TamperingProxy(server.uri());
    this.tenants = new LocalTenants(directory.resolve("local"));
  }

  @BeforeEach
  void open() {
    server.tenants().wings("main").close();
    server.tenants().wings("evil").close();
    victim = tenants.open("main", secret(server.uri(), "main"));
    evil = tenants.open("evil", secret(liar.uri(), "evil"));
    for (TenantCatalog catalog : List.of(victim, evil)) {
      catalog.namespaces().createNamespace(SALES);
      append(catalog.catalog().createTable(ORDERS, SCHEMA));
    }
    victims = victim.catalog().loadTable(ORDERS);
  }

  @AfterEach
  void close() {
    victim.close();
    evil.close();
    tenants.close();
    liar.close();
    server.close();
  }

  private Map<String, String> secret(String uri, String name) {
    return Map.of(
        "type",
        "rest",
        "uri",
        uri,
        "warehouse",
        name,
        "wings.local-root",
        server.tenants().warehouse(name));
  }

  private static DataFile file(Table table) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(table.location() + "/data/a.parquet")
        .withFileSizeInBytes(10)
        .withRecordCount(1)
        .build();
  }

  private static void append(Table table) {
    table.newAppend().appendFile(file(table)).commit();
  }

  private String victimsAnswer() {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.uri() + "/v1/main/namespaces/sales/tables/orders"))
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void answerForTheOwnTable(String body) {
    liar.tamper((request, reply) -> request.equals(OWN_TABLE) ? new Reply(200, body) : reply);
  }

  private void assertNothingOfTheVictimIsReached(Table lie) {
    String list = victims.currentSnapshot().manifestListLocation();
    assertThatThrownBy(() -> lie.currentSnapshot().allManifests(lie.io()))
        .hasMessageStartingWith("location-refused: ");
    FileIO deleting = evil.deletingIo(lie);
    assertThatThrownBy(() -> deleting.deleteFile(list))
        .hasMessageStartingWith("location-refused: ");
    assertThatThrownBy(() -> append(lie)).hasMessageContaining("location-refused: ");
    assertThat(new LocalFileIO().newInputFile(list).exists()).isTrue();
    Table after = victim.catalog().loadTable(ORDERS);
    assertThat(after.currentSnapshot()).isEqualTo(victims.currentSnapshot());
  }

  @Test
  void metadataOfAnothersTableOpensNoneOfItsFiles() {
    answerForTheOwnTable(victimsAnswer());
    assertNothingOfTheVictimIsReached(evil.catalog().loadTable(ORDERS));
  }

  @Test
  void aSnapshotWhoseManifestsAreAnothersIsNotRead() {
    String own = evil.catalog().loadTable(ORDERS).currentSnapshot().manifestListLocation();
    liar.tamper(
        (request, reply) ->
            request.equals(OWN_TABLE)
                ? new Reply(
                    200,
                    reply.body().replace(own, victims.currentSnapshot().manifestListLocation()))
                : reply);
    assertNothingOfTheVictimIsReached(evil.catalog().loadTable(ORDERS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"write.data.path", "write.metadata.path"})
  void nothingIsWrittenWhereAnothersFilesAre(String property) {
    Table own = evil.catalog().loadTable(ORDERS);
    String lie = "\"properties\":{\"%s\":\"%s/data\",".formatted(property, victims.location());
    liar.tamper(
        (request, reply) ->
            request.equals(OWN_TABLE)
                ? new Reply(200, reply.body().replaceFirst("\"properties\":\\{", lie))
                : reply);
    Table table = evil.catalog().loadTable(ORDERS);
    assertThat(table.properties()).containsKey(property);
    assertThat(own.properties()).doesNotContainKey(property);
    assertThatThrownBy(
            () -> {
              table
                  .io()
                  .newOutputFile(table.locationProvider().newDataLocation("x.parquet"))
                  .create()
                  .close();
              append(table);
            })
        .hasMessageContaining("location-refused: ");
  }

  @Test
  void namesThatLookAlikeAreTablesOfTheirOwn() {
    Set<String> locations = new HashSet<>();
    List<TableIdentifier> names =
        List.of(
            TableIdentifier.of(Namespace.of("a.b"), "t"),
            TableIdentifier.of(Namespace.of("a", "b"), "t"),
            TableIdentifier.of(Namespace.of("Sales"), "orders"),
            TableIdentifier.of(SALES, "Orders"),
            TableIdentifier.of(Namespace.of("a"), "b.t"));
    victim.namespaces().createNamespace(Namespace.of("a"));
    for (TableIdentifier name : names) {
      if (!victim.namespaces().namespaceExists(name.namespace())) {
        victim.namespaces().createNamespace(name.namespace());
      }
      Table made = victim.catalog().createTable(name, SCHEMA);
      assertThat(locations.add(made.location())).as(name.toString()).isTrue();
      assertThat(made.location()).startsWith(server.tenants().warehouse("main") + "/");
      assertThat(made.location()).doesNotContain("..");
    }
    for (TableIdentifier name : names) {
      assertThat(locations.remove(victim.catalog().loadTable(name).location())).isTrue();
    }
    assertThat(victim.catalog().loadTable(ORDERS).uuid()).isEqualTo(victims.uuid());
  }
}
