package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TenantPropertiesTest {
  private static TenantProperties of(String... pairs) {
    Map<String, String> all = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      all.put(pairs[i], pairs[i + 1]);
    }
    return TenantProperties.of(new Secret(all));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"hadoop", "hive", "glue", "nessie", "dynamodb", "bigquery", "snowflake", "ecs"})
  void refusesCatalogsByName(String type) {
    assertThatThrownBy(() -> of("type", type, "warehouse", "s3://b/w"))
        .isInstanceOf(WingsException.class)
        .hasMessageStartingWith("catalog-refused: catalogs of type " + type + " are refused: ");
  }

  @Test
  void refusesAnUnknownOrMissingType() {
    assertThatThrownBy(() -> of("type", "wing")).hasMessageContaining("wings, rest or jdbc");
    assertThatThrownBy(() -> of("warehouse", "s3://b/w")).hasMessageContaining("\"type\"");
  }

  /** Trap 25. */
  @ParameterizedTest
  @CsvSource({
    "rest, s3.acess-key-id, s3.access-key-id",
    "rest, tokn, token",
    "jdbc, jdbc.passwort, jdbc.password",
    "wings, warehous, warehouse"
  })
  void refusesAMisspeltPropertyWithASuggestion(String type, String misspelt, String meant) {
    assertThatThrownBy(() -> of("type", type, "warehouse", "s3://b/w", misspelt, "x"))
        .hasMessageStartingWith("catalog-refused: ")
        .hasMessageContaining("'" + misspelt + "'; did you mean '" + meant + "'?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "catalog-impl",
        "lock-impl",
        "client.factory",
        "s3.client-factory-impl",
        "client.credentials-provider",
        "metrics-reporter-impl",
        "rest.client.tls.configurer-impl",
        "encryption.kms-impl",
        "s3.remote-signing-enabled"
      })
  void refusesPropertiesThatNameCodeToLoad(String key) {
    for (String type : new String[] {"wings", "rest", "jdbc"}) {
      assertThatThrownBy(() -> of("type", type, "warehouse", "s3://b/w", key, "com.example.X"))
          .hasMessageStartingWith("catalog-refused: ");
    }
  }

  @Test
  void refusesAFileIoThatIsNotListed() {
    assertThatThrownBy(
            () -> of("type", "rest", "io-impl", "org.apache.iceberg.hadoop.HadoopFileIO"))
        .hasMessageContaining("io-impl org.apache.iceberg.hadoop.HadoopFileIO is not allowed");
    assertThat(of("type", "rest", "io-impl", "org.apache.iceberg.aws.s3.S3FileIO").all()).isEmpty();
  }

  @Test
  void theOperatorsPageListsWhatASecretMayHold() throws IOException {
    String page = Files.readString(Path.of("../docs/operations.md"));
    for (CatalogType type : CatalogType.values()) {
      assertThat(page).contains("| `" + type + "` |");
      for (String property : TenantProperties.known(type)) {
        assertThat(page).contains("`" + property + "`");
      }
    }
  }

  /** Trap 39: Iceberg's REST client would put the process's variable in its place. */
  @Test
  void refusesValuesThatReadTheProcessEnvironment() {
    assertThatThrownBy(() -> of("type", "rest", "token", "env:AWS_SECRET_ACCESS_KEY"))
        .hasMessageContaining("token would read the process's environment");
  }

  @Test
  void cutsTheSlashesOffTheEndOfAWarehouse() {
    assertThat(of("type", "wings", "warehouse", "s3://b/w//").warehouse()).contains("s3://b/w");
  }

  @Test
  void showsNothingInItsTextForm() {
    assertThat(of("type", "rest", "token", "hunter2hunter2").toString()).doesNotContain("hunter2");
    assertThat(new Secret(Map.of("token", "hunter2hunter2")).toString()).doesNotContain("hunter2");
  }
}
