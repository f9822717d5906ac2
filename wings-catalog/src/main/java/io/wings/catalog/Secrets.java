package io.wings.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.catalog.secret.Reading;
import io.wings.catalog.secret.SecretPointer;
import io.wings.catalog.secret.SecretStore;
import io.wings.catalog.secret.aws.AwsSecrets;
import io.wings.catalog.secret.azure.AzureKeyVault;
import io.wings.catalog.secret.gcp.GoogleSecrets;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads secrets: JSON objects of Iceberg catalog properties. What an error says of one is where it
 * is and what is wrong with its form, never what it holds. Stores of secrets are connected to on
 * first use.
 */
public final class Secrets implements AutoCloseable {
  /** The code for a secret that isn't there, or that this process may not read. */
  static final String UNREADABLE = "secret-unreadable";

  /** The code for a store that doesn't say whether it is. */
  static final String STORE_UNAVAILABLE = "secret-store-unavailable";

  /** The code for what is there and is no secret, such as one that is half written. */
  static final String INVALID = "secret-invalid";

  private static final int MAX_BYTES = 64 * 1024;

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final Function<String, @Nullable String> environment;
  private final SecretStore<SecretPointer.InAws> aws;
  private final SecretStore<SecretPointer.InAzure> azure;
  private final SecretStore<SecretPointer.InGoogle> google;

  /**
   * @param environment the process's variables
   */
  public Secrets(Function<String, @Nullable String> environment) {
    this(environment, new AwsSecrets(), new AzureKeyVault(environment), new GoogleSecrets());
  }

  /** With these stores, which are closed with it. */
  Secrets(
      Function<String, @Nullable String> environment,
      SecretStore<SecretPointer.InAws> aws,
      SecretStore<SecretPointer.InAzure> azure,
      SecretStore<SecretPointer.InGoogle> google) {
    this.environment = environment;
    this.aws = aws;
    this.azure = azure;
    this.google = google;
  }

  /**
   * Reads a secret afresh.
   *
   * @throws WingsException {@code secret-unreadable} (unavailable) when it isn't there or may not
   *     be read, {@code secret-store-unavailable} when that can't be found out, {@code
   *     secret-invalid} when it isn't an object of properties
   */
  Secret read(SecretPointer pointer) {
    Reading reading =
        switch (pointer) {
          case SecretPointer.InFile(Path path) -> file(path);
          case SecretPointer.InEnvironment(String variable) -> variable(variable);
          case SecretPointer.InAws in -> aws.read(in);
          case SecretPointer.InAzure in -> azure.read(in);
          case SecretPointer.InGoogle in -> google.read(in);
        };
    return switch (reading) {
      case Reading.Found found -> secret(pointer, found.bytes());
      case Reading.Unreadable(String why) -> throw unread(UNREADABLE, pointer, why);
      case Reading.Unreachable(String why) -> throw unread(STORE_UNAVAILABLE, pointer, why);
    };
  }

  private static Secret secret(SecretPointer pointer, byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      throw invalid(pointer, "it has more than " + MAX_BYTES + " bytes");
    }
    return new Secret(properties(pointer, bytes));
  }

  /**
   * Reads a secret on this machine and checks its properties; connects to nothing but the store of
   * the secret.
   *
   * @throws WingsException {@code secret-unreadable} or {@code secret-store-unavailable}
   *     (unavailable) when it can't be read here, {@code secret-invalid}, {@code catalog-refused}
   */
  public void check(SecretPointer pointer) {
    Secret secret = read(pointer);
    try {
      TenantProperties _ = TenantProperties.of(secret);
    } catch (WingsException e) {
      throw new WingsException(e.kind(), e.code(), pointer + ": " + secret.redact(e.detail()));
    }
  }

  private Reading variable(String variable) {
    String value = environment.apply(variable);
    return value == null
        ? new Reading.Unreadable("there is no such variable")
        : Reading.Found.of(value);
  }

  private static Reading file(Path path) {
    try (InputStream in = Files.newInputStream(path)) {
      return Reading.Found.of(in.readNBytes(MAX_BYTES + 1));
    } catch (IOException e) {
      return new Reading.Unreadable(e.getClass().getSimpleName());
    }
  }

  private static Map<String, String> properties(SecretPointer pointer, byte[] bytes) {
    JsonNode tree;
    try {
      tree = MAPPER.readTree(bytes);
    } catch (JsonProcessingException e) {
      // The original message may quote what it stumbled over.
      throw invalid(
          pointer,
          "it is no JSON object, or has a key twice, near line " + e.getLocation().getLineNr());
    } catch (IOException _) {
      throw invalid(pointer, "it is no JSON object");
    }
    if (!(tree instanceof ObjectNode object)) {
      throw invalid(pointer, "it is no JSON object");
    }
    Map<String, String> properties = new HashMap<>();
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (!field.getValue().isValueNode() || field.getValue().isNull()) {
        throw invalid(pointer, "its values are texts, numbers or true and false");
      }
      properties.put(field.getKey(), field.getValue().asText());
    }
    return properties;
  }

  private static WingsException unread(String code, SecretPointer pointer, String why) {
    return new WingsException(ErrorKind.UNAVAILABLE, code, "can't read " + pointer + ": " + why);
  }

  private static WingsException invalid(SecretPointer pointer, String why) {
    return WingsException.invalid(INVALID, pointer + " is no secret: " + why);
  }

  @Override
  public void close() {
    aws.close();
    azure.close();
    google.close();
  }
}
