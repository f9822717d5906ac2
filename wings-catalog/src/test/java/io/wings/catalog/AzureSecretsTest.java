package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.wings.catalog.secret.Reading;
import io.wings.catalog.secret.SecretPointer.InAzure;
import io.wings.catalog.secret.SecretStore;
import io.wings.catalog.secret.azure.LocalVault;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a server of our own. */
class AzureSecretsTest extends SecretStoreContract<InAzure, LocalVault> {
  /** One certificate for all tests. */
  @TempDir private static Path certificates;

  AzureSecretsTest(@TempDir Path directory) throws Exception {
    super(
        directory,
        new LocalVault(certificates),
        store -> new Secrets(_ -> null, new UnusedStore<>(), store, new UnusedStore<>()));
  }

  @Test
  void readsTheVersionThatThePointerNames() {
    server.put("main", "one");
    server.put("main", "two");
    try (SecretStore<InAzure> store = server.store()) {
      assertThat(store.read(server.pointer("main", 0))).isEqualTo(Reading.Found.of("one"));
      assertThat(store.read(server.pointer("main"))).isEqualTo(Reading.Found.of("two"));
    }
    assertThat(server.scopes()).containsOnly("https://vault.azure.net/.default");
  }

  @Test
  void asksForNoTokenForAServerThatIsNotInTheDomainOfItsChallenge() {
    server.put("main", "one");
    try (SecretStore<InAzure> store = server.suspiciousStore()) {
      assertThat(store.read(server.pointer("main"))).isInstanceOf(Reading.Unreachable.class);
    }
    assertThat(server.scopes()).isEmpty();
  }
}
