package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.commit.BaseListener;
import io.wings.catalog.commit.CommitRequest;
import io.wings.catalog.commit.TableCommits;
import io.wings.catalog.rest.LocalRestServer;
import io.wings.catalog.rest.TamperingProxy;
import io.wings.catalog.rest.TamperingProxy.Reply;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.s3.S3ProxyServer;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tenants whose catalog is somebody's REST server, which may be broken or hostile. */
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class RestTenantsTest {
  private static final Namespace SALES = Namespace.of("sales");
  private static final TableIdentifier ORDERS = TableIdentifier.of(SALES, "orders");
  private static final String COMMIT = "POST /v1/main/namespaces/sales/tables/orders";
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final DataFile FILE =
      DataFiles.builder(PartitionSpec.unpartitioned())
          .withPath("/nowhere/a.parquet")
          .withFileSizeInBytes(10)
          .withRecordCount(1)
          .build();

  private final LocalRestServer server;
  private final TamperingProxy proxy;
  private final LocalTenants tenants;

  RestTenantsTest(@TempDir Path directory) throws IOException {
    this.server = new LocalRestServer(directory.resolve("remote"));
    this.proxy = new TamperingProxy(server.uri());
    this.tenants = new LocalTenants(directory.resolve("local"));
    server.tenants().wings("main").close();
  }

  @AfterEach
  void close() {
    tenants.close();
    proxy.close();
    server.close();
  }

  private Map<String, String> secret() {
    return Map.of(
        "type",
        "rest",
        "uri",
        proxy.uri(),
        "warehouse",
        "main",
        "wings.local-root",
        server.tenants().warehouse("main"));
  }

  private Map<String, String> secretWith(String... pairs) {
    Map<String, String> all = new HashMap<>(secret());
    for (int i = 0; i < pairs.length; i += 2) {
      all.put(pairs[i], pairs[i + 1]);
    }
    return all;
  }

  private static Table create(TenantCatalog catalog) {
    catalog.namespaces().createNamespace(SALES);
    return catalog
        .catalog()
        .buildTable(ORDERS, SCHEMA)
        .withProperty("commit.retry.num-retries", "0")
        .create();
  }

  private static String adding(String json, String object, String entries) {
    String key = "\"" + object + "\":{";
    return json.contains(key)
        ? json.replace(key, key + entries + ",").replace(",}", "}")
        : json.replaceFirst("\\{", "{\"" + object + "\":{" + entries + "},");
  }

  /** Trap 7. */
  @ParameterizedTest
  @ValueSource(ints = {0, 500, 502, 503, 504})
  void postsACommitOnceWhateverBecomesOfTheAnswer(int status) {
    proxy.tamper(
        (request, reply) ->
            request.equals("GET /v1/config")
                ? new Reply(
                    200,
                    reply.body().replaceFirst("\\{", "{\"idempotency-key-lifetime\":\"PT30M\","))
                : reply);
    try (TenantCatalog catalog = tenants.open("main", secret())) {
      Table table = create(catalog);
      AtomicBoolean down = new AtomicBoolean();
      proxy.tamper(
          (request, reply) -> {
            if (request.equals(COMMIT)) {
              down.set(true);
            }
            return down.get() ? new Reply(status, "") : reply;
          });

      assertThatThrownBy(() -> table.newAppend().appendFile(FILE).commit())
          .isInstanceOf(CommitStateUnknownException.class);

      down.set(false);
      assertThat(proxy.requests()).filteredOn(COMMIT::equals).hasSize(1);
      assertThat(proxy.headers()).noneMatch(headers -> headers.contains("Idempotency"));
      Table fresh = catalog.catalog().loadTable(ORDERS);
      assertThat(fresh.snapshots()).hasSize(1);
      assertThat(fresh.currentSnapshot().allManifests(fresh.io())).hasSize(1);
    }
  }

  @Test
  void takesNoSettingFromAServerThatIsNotListed() throws IOException {
    try (TamperingProxy trap = new TamperingProxy(server.uri())) {
      proxy.tamper(
          (request, reply) ->
              request.equals("GET /v1/config")
                  ? new Reply(
                      200,
                      adding(
                          reply.body(),
                          "overrides",
                          """
                          "uri":"%s","oauth2-server-uri":"%s/token","header.X-Stolen":"yes",\
                          "io-impl":"com.example.Evil","metrics-reporter-impl":"com.example.Evil",\
                          "rest.client.proxy.hostname":"127.0.0.1","rest.client.proxy.port":"1",\
                          "s3.endpoint":"%s","token":"other"\
                          """
                              .formatted(trap.uri(), trap.uri(), trap.uri())))
                  : new Reply(reply.status(), adding(reply.body(), "config", "\"token\":\"x\"")));
      try (TenantCatalog catalog =
          tenants.open("main", secretWith("token", "mine", "rest.auth.type", "oauth2"))) {
        Table table = create(catalog);
        table.updateProperties().set("a", "b").commit();
        assertThat(catalog.catalog().loadTable(ORDERS).properties()).containsEntry("a", "b");
      }
      assertThat(trap.requests()).isEmpty();
      assertThat(proxy.headers())
          .noneMatch(headers -> headers.contains("Stolen"))
          .allMatch(headers -> headers.contains("Bearer mine"));
    }
  }

  @Test
  void refusesFilesThatAServerPointsTo() throws IOException {
    try (TenantCatalog catalog = tenants.open("main", secret())) {
      Table table = create(catalog);
      for (String location :
          List.of(
              "file:///etc/hostname",
              "file://" + tenants.directory() + "/cluster/cluster.json",
              "http://169.254.169.254/latest")) {
        assertThatThrownBy(() -> table.io().newInputFile(location))
            .hasMessageStartingWith("location-refused: ");
      }
    }
  }

  /** Trap 39. */
  @Test
  void usesTheKeyThatTheServerVendsAndNoOther() throws IOException {
    try (S3ProxyServer s3 = S3ProxyServer.start()) {
      System.setProperty("aws.accessKeyId", "test-key");
      System.setProperty("aws.secretAccessKey", "test-secret");
      Map<String, String> reach =
          secretWith(
              "s3.endpoint",
              s3.endpoint().toString(),
              "s3.path-style-access",
              "true",
              "client.region",
              "us-east-1");
      String object = s3.address("data/x");
      try (TenantCatalog catalog = tenants.open("main", reach)) {
        create(catalog);
        Table keyless = catalog.catalog().loadTable(ORDERS);
        assertThatThrownBy(() -> keyless.io().newOutputFile(object).create())
            .hasMessageStartingWith("s3-credentials-missing: ");

        String key = "\"s3.access-key-id\":\"test-key\",\"s3.secret-access-key\":\"test-secret\"";
        proxy.tamper((_, reply) -> new Reply(reply.status(), adding(reply.body(), "config", key)));
        write(catalog.catalog().loadTable(ORDERS), object);

        proxy.tamper(
            (_, reply) ->
                new Reply(
                    reply.status(),
                    reply
                        .body()
                        .replaceFirst(
                            "\\{",
                            "{\"storage-credentials\":[{\"prefix\":\"%s\",\"config\":{%s}}],"
                                .formatted(s3.address("data"), key))));
        Table prefixed = catalog.catalog().loadTable(ORDERS);
        write(prefixed, object + "2");
        assertThatThrownBy(() -> write(prefixed, s3.address("elsewhere")))
            .hasMessageStartingWith("s3-credentials-missing: ");
      } finally {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
      }
    }
  }

  /** Trap 24: a server that has vended a key anew may still say that the table hasn't changed. */
  @Test
  void usesTheKeyThatWasVendedLast() throws IOException {
    try (S3ProxyServer s3 = S3ProxyServer.start()) {
      Map<String, String> reach =
          secretWith(
              "s3.endpoint",
              s3.endpoint().toString(),
              "s3.path-style-access",
              "true",
              "client.region",
              "us-east-1");
      try (TenantCatalog catalog = tenants.open("main", reach)) {
        create(catalog);
        proxy.tag("\"as-it-is\"");
        vend("expired-key", "expired-secret");
        Table before = catalog.catalog().loadTable(ORDERS);
        assertThatThrownBy(() -> write(before, s3.address("data/x")));
        vend("test-key", "test-secret");
        Table after = catalog.catalog().loadTable(ORDERS);
        assertThatCode(() -> write(after, s3.address("data/x"))).doesNotThrowAnyException();
      }
    }
  }

  private void vend(String id, String secret) {
    String key =
        "\"s3.access-key-id\":\"%s\",\"s3.secret-access-key\":\"%s\"".formatted(id, secret);
    proxy.tamper((_, reply) -> new Reply(reply.status(), adding(reply.body(), "config", key)));
  }

  /** Trap 41: a server looks at no more of a commit's base than at what the commit adds to main. */
  @Test
  void anExpiryThatMeetsARollbackEmptiesNothing() throws IOException {
    try (TenantCatalog catalog = tenants.open("main", secret())) {
      UUID uuid = create(catalog).uuid();
      TableCommits commits = new TableCommits(Time.system(), Ids.secure(), Backoff.NONE);
      for (int n = 1; n <= 4; n++) {
        commits.commit(append(catalog, uuid, n, CommitRequest.NO_EXPIRY, _ -> {}));
      }
      Table table = catalog.catalog().loadTable(ORDERS);
      long first = table.snapshots().iterator().next().snapshotId();
      AtomicBoolean rolledBack = new AtomicBoolean();
      BaseListener another =
          post -> {
            if (rolledBack.compareAndSet(false, true)) {
              assertThat(post.expired()).anyMatch(expired -> expired.snapshotId() == first);
              table.manageSnapshots().rollbackTo(first).commit();
            }
          };
      commits.commit(append(catalog, uuid, 5, 2, another));

      List<String> files = new ArrayList<>();
      Table now = catalog.catalog().loadTable(ORDERS);
      try (var tasks = now.newScan().planFiles()) {
        tasks.forEach(task -> files.add(task.file().location()));
      }
      assertThat(rolledBack).isTrue();
      assertThat(files).containsExactlyInAnyOrder("/nowhere/1.parquet", "/nowhere/5.parquet");
    }
  }

  private static CommitRequest append(
      TenantCatalog catalog, UUID uuid, int number, int cap, BaseListener listener) {
    String key = "wings.test.number";
    DataFile file =
        DataFiles.builder(PartitionSpec.unpartitioned())
            .withPath("/nowhere/" + number + ".parquet")
            .withFileSizeInBytes(10)
            .withRecordCount(1)
            .build();
    Map<String, String> before = number == 1 ? Map.of() : Map.of(key, "" + (number - 1));
    return new CommitRequest(
        catalog.catalog(),
        ORDERS,
        uuid,
        new CommitRequest.Marks(key, before, Map.of(key, "" + number)),
        base -> base.newAppend().appendFile(file),
        Map.of(),
        cap,
        "",
        listener);
  }

  private static void write(Table table, String location) {
    try (OutputStream out = table.io().newOutputFile(location).create()) {
      out.write(1);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    assertThat(table.io().newInputFile(location).getLength()).isEqualTo(1);
  }

  /** Trap 39. */
  @Test
  void signsRequestsWithTheTenantsKey() {
    System.setProperty("aws.accessKeyId", "POD");
    System.setProperty("aws.secretAccessKey", "pod-secret");
    try (TenantCatalog catalog =
        tenants.open(
            "main",
            secretWith(
                "rest.auth.type",
                "sigv4",
                "rest.signing-region",
                "eu-central-1",
                "rest.signing-name",
                "s3tables",
                "rest.access-key-id",
                "TENANT",
                "rest.secret-access-key",
                "tenant-secret"))) {
      create(catalog);
    } finally {
      System.clearProperty("aws.accessKeyId");
      System.clearProperty("aws.secretAccessKey");
    }
    assertThat(proxy.headers())
        .allMatch(headers -> headers.contains("Credential=TENANT/"))
        .noneMatch(headers -> headers.contains("POD"));
  }

  @Test
  void saysThatAServerDoesNotAnswer() {
    assertThatThrownBy(
            () -> tenants.open("main", Map.of("type", "rest", "uri", "http://127.0.0.1:1")))
        .hasMessageStartingWith("catalog-unavailable: catalog main can't be opened: ");
  }
}
