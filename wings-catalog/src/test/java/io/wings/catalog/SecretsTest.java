package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.secret.SecretPointer;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
  private static final String PLANTED = "PLANTED-hunter2";

  private final Path directory;

  SecretsTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private Secret file(String content) throws IOException {
    Path file = Files.writeString(directory.resolve("secret.json"), content);
    return new Secrets(_ -> null).read(SecretPointer.parse("file://" + file));
  }

  @Test
  void readsAMountedFile() throws IOException {
    assertThat(file("{\"type\":\"rest\",\"s3.path-style-access\":true,\"n\":5}").properties())
        .isEqualTo(Map.of("type", "rest", "s3.path-style-access", "true", "n", "5"));
  }

  @Test
  void readsAVariable() {
    Secrets secrets = new Secrets(name -> name.equals("S") ? "{\"type\":\"rest\"}" : null);

    assertThat(secrets.read(SecretPointer.parse("env://S")).get("type")).isEqualTo("rest");
    assertThatThrownBy(() -> secrets.read(SecretPointer.parse("env://T")))
        .isInstanceOfSatisfying(
            WingsException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
        .hasMessageStartingWith("secret-unreadable: can't read env://T");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"type\":\"hadoop\"}", "{\"type\":\"wings\"}"})
  void checksWhatASecretHoldsWithoutConnecting(String content) throws IOException {
    Path file = Files.writeString(directory.resolve("secret.json"), content);
    SecretPointer pointer = new SecretPointer.InFile(file);

    assertThatThrownBy(() -> new Secrets(_ -> null).check(pointer))
        .hasMessageStartingWith("catalog-refused: file://" + file + ": ");

    Files.writeString(
        file,
        "{\"type\":\"rest\",\"uri\":\"http://nobody.invalid\",\"token\":\"" + PLANTED + "\"}");
    new Secrets(_ -> null).check(pointer);
  }

  @Test
  void hintsAtTheAbsolutePathOfARelativeOne() {
    assertThatThrownBy(() -> SecretPointer.parse("file://pom.xml"))
        .hasMessageEndingWith("here it is file://" + Path.of("pom.xml").toAbsolutePath());
  }

  @Test
  void saysThatAFileIsMissing() {
    Path missing = directory.resolve("missing");

    assertThatThrownBy(() -> new Secrets(_ -> null).read(new SecretPointer.InFile(missing)))
        .hasMessage("secret-unreadable: can't read file://" + missing + ": NoSuchFileException");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PLANTED,
        "\"" + PLANTED + "\"",
        "[\"" + PLANTED + "\"]",
        "{\"a\":\"" + PLANTED + "\"",
        "{\"a\":\"" + PLANTED + "\",\"a\":\"" + PLANTED + "\"}",
        "{\"" + PLANTED + "\":{\"b\":1}}",
        "{\"a\":null,\"" + PLANTED + "\":1}",
        "{\"a\":\"b\"} " + PLANTED
      })
  void neverShowsWhatItStumblesOver(String content) {
    assertThatThrownBy(() -> file(content))
        .hasMessageStartingWith("secret-invalid: ")
        .hasMessageNotContaining("hunter2")
        .hasNoCause();
  }

  @Test
  void refusesAnEndlessFile() {
    assertThatThrownBy(() -> file("{\"a\":\"" + "x".repeat(70_000) + "\"}"))
        .hasMessageContaining("more than 65536 bytes")
        .hasMessageNotContaining("xxx");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "aws-secretsmanager://eu-central-1/wings/tenants/main",
        "aws-secretsmanager://us-gov-west-1/a",
        "aws-secretsmanager://eusc-de-east-1/a",
        "aws-secretsmanager://eu-central-1/arn:aws:secretsmanager:eu-central-1:123456789012:secret:wings/main-AbCdEf",
        "azure-keyvault://my-vault.vault.azure.net/main",
        "azure-keyvault://vault1.vault.usgovcloudapi.net/main/0123456789abcdef0123456789abcdef",
        "gcp-secretmanager://my-project/main",
        "gcp-secretmanager://123456/main/7",
        "gcp-secretmanager://my-project/main/stable"
      })
  void aPointersTextFormIsWhatWasWritten(String pointer) {
    assertThat(SecretPointer.parse(pointer)).hasToString(pointer);
    assertThat(SecretPointer.parse(pointer)).isEqualTo(SecretPointer.parse(pointer));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "aws-secretsmanager://hunter2",
        "aws-secretsmanager://",
        "aws-secretsmanager://eu-central-1/",
        "aws-secretsmanager://eu-central-1/hunter2?version-stage=AWSPREVIOUS",
        "aws-secretsmanager://eu-central-1/a hunter2",
        "aws-secretsmanager://eu-central-1/arn:aws:secretsmanager:us-east-1:123456789012:secret:hunter2",
        "aws-secretsmanager://eu-central-1.evil.example/hunter2",
        "azure-keyvault://vault1/hunter2",
        "azure-keyvault://vault.azure.net/hunter2",
        "azure-keyvault://evil.example/hunter2",
        "azure-keyvault://vault1.vault.azure.net.evil.example/hunter2",
        "azure-keyvault://user@vault1.vault.azure.net/hunter2",
        "azure-keyvault://vault1.vault.azure.net:8443/hunter2",
        "azure-keyvault://vault1.vault.azure.net/hunter2/1",
        "azure-keyvault://vault1.vault.azure.net/hunter2?api-version=1",
        "gcp-secretmanager://hunter2",
        "gcp-secretmanager://example.com:project/hunter2",
        "gcp-secretmanager://my-project/hunter2/latest/x",
        "gcp-secretmanager://my-project/hunter2/",
        "gcp-secretmanager://my-project/locations/europe-west3/secrets/hunter2"
      })
  void aStoresPointerIsStrictAndNotRepeatedWhereItIsNone(String pointer) {
    assertThatThrownBy(() -> SecretPointer.parse(pointer))
        .hasMessageStartingWith("secret-pointer-invalid: expected " + pointer.substring(0, 9))
        .hasMessageNotContaining("hunter2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://x/y", "vault://x"})
  void refusesOtherSchemes(String pointer) {
    assertThatThrownBy(() -> SecretPointer.parse(pointer))
        .hasMessageStartingWith("secret-scheme-unsupported: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"token\":\"hunter2\"}",
        "{\"token\":\"hunter2\",\"uri\":\"https://x\"}",
        "hunter2",
        "file://hunter2",
        "env://hunter2 hunter2"
      })
  void doesNotRepeatWhatIsNoPointer(String pointer) {
    assertThatThrownBy(() -> SecretPointer.parse(pointer))
        .hasMessageStartingWith("secret-pointer-invalid: ")
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void redactsValuesAndTheirParts() {
    Secret secret = new Secret(Map.of("credential", "client:hunter2", "type", "rest"));

    assertThat(secret.redact("rest says: hunter2 and client:hunter2 for client"))
        .isEqualTo("rest says: *** and *** for ***");
  }
}
