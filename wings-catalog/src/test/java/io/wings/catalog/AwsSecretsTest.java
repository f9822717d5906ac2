package io.wings.catalog;

import io.wings.catalog.secret.SecretPointer.InAws;
import io.wings.catalog.secret.aws.LocalSecretsManager;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Against a server of our own; against moto in the engines' tests. */
class AwsSecretsTest extends SecretStoreContract<InAws, LocalSecretsManager> {
  AwsSecretsTest(@TempDir Path directory) throws IOException {
    super(
        directory,
        new LocalSecretsManager(),
        store -> new Secrets(_ -> null, store, new UnusedStore<>(), new UnusedStore<>()));
  }
}
