package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
  @ValueSource(strings = {"aws-secretsmanager://x", "azure-keyvault://x", "gcp-secretmanager://x"})
  void refusesStoresThatAreToComeByName(String pointer) {
    assertThatThrownBy(() -> SecretPointer.parse(pointer))
        .hasMessageStartingWith("secret-scheme-unsupported: secrets in " + pointer.substring(0, 5))
        .hasMessageContaining("in this version");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://x/y", "vault://x"})
  void refusesOtherSchemes(String pointer) {
    assertThatThrownBy(() -> SecretPointer.parse(pointer))
        .hasMessageStartingWith("secret-scheme-unsupported: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"token\":\"hunter2\"}", "hunter2", "file://hunter2", "env://hunter2 hunter2"})
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
