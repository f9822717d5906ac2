package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.wings.catalog.secret.Reading;
import io.wings.catalog.secret.SecretPointer.InGoogle;
import io.wings.catalog.secret.SecretStore;
import io.wings.catalog.secret.gcp.LocalSecretManager;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a server of our own. */
class GoogleSecretsTest extends SecretStoreContract<InGoogle, LocalSecretManager> {
  GoogleSecretsTest(@TempDir Path directory) throws IOException {
    super(
        directory,
        new LocalSecretManager(),
        store -> new Secrets(_ -> null, new UnusedStore<>(), new UnusedStore<>(), store));
  }

  @Test
  void readsTheVersionThatThePointerNames() {
    server.put("main", "one");
    server.put("main", "two");
    try (SecretStore<InGoogle> store = server.store()) {
      assertThat(store.read(server.pointer("main", 1))).isEqualTo(Reading.Found.of("one"));
      assertThat(store.read(server.pointer("main"))).isEqualTo(Reading.Found.of("two"));
    }
  }

  @Test
  void aDamagedAnswerIsNone() {
    server.put("main", "one");
    server.damage();
    try (SecretStore<InGoogle> store = server.store()) {
      assertThat(store.read(server.pointer("main"))).isInstanceOf(Reading.Unreachable.class);
    }
  }
}
