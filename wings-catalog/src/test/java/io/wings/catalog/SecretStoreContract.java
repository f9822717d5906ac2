package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.wings.catalog.secret.SecretPointer;
import io.wings.catalog.secret.SecretServer;
import io.wings.catalog.secret.SecretServer.Answer;
import io.wings.catalog.secret.SecretStore;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** What every store of secrets does, seen through the tenants' catalogs. */
@Isolated
abstract class SecretStoreContract<P extends SecretPointer, S extends SecretServer<P>> {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final Namespace SALES = Namespace.of("sales");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final String PLANTED = "PLANTED-hunter2";

  final S server;
  private final Secrets secrets;
  private final ForwardClock clock = new ForwardClock();
  private final LocalTenants tenants;

  /**
   * @param server closed after the test
   * @param secrets those that the server's store has
   */
  SecretStoreContract(Path directory, S server, Function<SecretStore<P>, Secrets> secrets) {
    this.server = server;
    this.secrets = secrets.apply(server.store());
    this.tenants = new LocalTenants(directory, clock, this.secrets);
  }

  @AfterEach
  void close() {
    tenants.close();
    server.close();
  }

  /** A secret whose tables are marked with its generation. */
  private String secret(int generation) {
    try {
      return new JsonMapper()
          .writeValueAsString(
              Map.of(
                  "type",
                  "wings",
                  "warehouse",
                  tenants.warehouse("main"),
                  "table-default.generation",
                  String.valueOf(generation)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private int generation() {
    try (TenantCatalog catalog = tenants.catalogs().open(MAIN)) {
      if (!catalog.namespaces().namespaceExists(SALES)) {
        catalog.namespaces().createNamespace(SALES);
      }
      TableIdentifier name = TableIdentifier.of(SALES, "t");
      catalog.catalog().dropTable(name, false);
      Table table = catalog.catalog().createTable(name, SCHEMA);
      return Integer.parseInt(table.properties().get("generation"));
    }
  }

  private void register() {
    server.put("main", secret(1));
    tenants.tenants().add(MAIN, server.pointer("main"));
    assertThat(generation()).isEqualTo(1);
  }

  /** Trap 24. */
  @Test
  void aNewVersionIsInUseOnceTheOldOneIsOld() {
    register();
    server.put("main", secret(2));

    assertThat(generation()).isEqualTo(1);
    clock.forward(CatalogSettings.DEFAULT_SECRET_MAX_AGE);
    assertThat(generation()).isEqualTo(2);
  }

  /** P6: that a store doesn't answer says nothing of the secret. */
  @ParameterizedTest
  @EnumSource(names = {"THROTTLED", "FAILING", "UNAUTHENTICATED"})
  void theLastSecretStaysInUseWhileTheStoreDoesNotAnswer(Answer outage) {
    register();
    server.put("main", secret(2));
    server.answer(outage);
    clock.forward(CatalogSettings.DEFAULT_SECRET_MAX_AGE);
    assertThat(generation()).isEqualTo(1);

    server.answer(Answer.RIGHTLY);
    assertThat(generation()).as("not asked at every turn").isEqualTo(1);
    clock.forward(CatalogSettings.SECRET_RETRY);
    assertThat(generation()).isEqualTo(2);
  }

  @Test
  void aSecretThatIsDeniedGoesOutOfUse() {
    register();
    server.answer(Answer.DENIED);
    clock.forward(CatalogSettings.DEFAULT_SECRET_MAX_AGE);

    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> tenants.catalogs().open(MAIN))
          .hasMessageStartingWith(
              "secret-unreadable: can't read " + server.pointer("main") + ": access denied");
    }
    server.answer(Answer.RIGHTLY);
    assertThat(generation()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void saysWhyASecretIsNotToBeHad(Answer answer) {
    server.answer(answer);
    SecretPointer pointer = server.pointer("missing");
    String code =
        switch (answer) {
          case RIGHTLY, DENIED -> "secret-unreadable";
          case THROTTLED, FAILING, UNAUTHENTICATED -> "secret-store-unavailable";
        };

    assertThatThrownBy(() -> secrets.check(pointer))
        .hasMessageStartingWith(code + ": can't read " + pointer + ": ")
        .hasMessageContaining(answer == Answer.RIGHTLY ? "there is no such secret" : "")
        .hasMessageNotContaining(SecretServer.QUOTED)
        .hasNoCause()
        .isInstanceOfSatisfying(
            WingsException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE));
  }

  @Test
  void aServerThatIsGoneIsUnavailable() {
    server.close();

    assertThatThrownBy(() -> secrets.check(server.pointer("main")))
        .hasMessageStartingWith("secret-store-unavailable: can't read " + server.pointer("main"));
  }

  @Test
  void nothingOfASecretOrOfARefusalIsShown() {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Level before = root.getLevel();
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    root.addAppender(log);
    root.setLevel(Level.INFO);
    StringWriter seen = new StringWriter();
    StringWriter seenOfWings = new StringWriter();
    try {
      register();
      clock.forward(CatalogSettings.DEFAULT_SECRET_MAX_AGE);
      server.answer(Answer.FAILING);
      assertThat(generation()).isEqualTo(1);
      server.put("main", "{\"type\":\"wings\",\"tokn\":\"" + PLANTED + "\"}");
      server.put("broken", "{\"token\":\"" + PLANTED + "\"");
      for (Answer answer : Answer.values()) {
        server.answer(answer);
        for (String name : new String[] {"main", "broken", "missing"}) {
          assertThatThrownBy(() -> secrets.check(server.pointer(name)))
              .satisfies(e -> e.printStackTrace(new PrintWriter(seenOfWings)));
        }
      }
    } finally {
      root.detachAppender(log);
      root.setLevel(before);
    }
    for (ILoggingEvent event : log.list) {
      StringWriter to = event.getLoggerName().startsWith("io.wings") ? seenOfWings : seen;
      to.append(event.getFormattedMessage()).append('\n');
      if (event.getThrowableProxy() != null) {
        to.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
      }
    }
    assertThat(seenOfWings.toString())
        .contains("its secret stays in use unread", "secret-invalid", "secret-unreadable")
        .doesNotContain(PLANTED, SecretServer.QUOTED);
    // Of a refusal the SDKs may say more, where the program's own levels let them.
    assertThat(seen.toString()).doesNotContain(PLANTED);
  }
}
