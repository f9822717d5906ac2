package io.wings.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
 * is and what is wrong with its form, never what it holds.
 */
public final class Secrets {
  private static final int MAX_BYTES = 64 * 1024;

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final Function<String, @Nullable String> environment;

  /**
   * @param environment the process's variables
   */
  public Secrets(Function<String, @Nullable String> environment) {
    this.environment = environment;
  }

  /**
   * Reads a secret afresh.
   *
   * @throws WingsException {@code secret-unreadable} (unavailable) when it isn't there, {@code
   *     secret-invalid} when it isn't an object of properties
   */
  Secret read(SecretPointer pointer) {
    byte[] bytes =
        switch (pointer) {
          case SecretPointer.InFile(Path path) -> file(pointer, path);
          case SecretPointer.InEnvironment(String variable) -> {
            String value = environment.apply(variable);
            if (value == null) {
              throw unreadable(pointer, "there is no such variable");
            }
            yield value.getBytes(java.nio.charset.StandardCharsets.UTF_8);
          }
        };
    if (bytes.length > MAX_BYTES) {
      throw invalid(pointer, "it has more than " + MAX_BYTES + " bytes");
    }
    return new Secret(properties(pointer, bytes));
  }

  /**
   * Reads a secret on this machine and checks its properties; connects to nothing.
   *
   * @throws WingsException {@code secret-unreadable} (unavailable) when it isn't here, {@code
   *     secret-invalid}, {@code catalog-refused}
   */
  public void check(SecretPointer pointer) {
    Secret secret = read(pointer);
    try {
      TenantProperties _ = TenantProperties.of(secret);
    } catch (WingsException e) {
      String detail = String.valueOf(e.getMessage()).substring(e.code().length() + 2);
      throw new WingsException(e.kind(), e.code(), pointer + ": " + secret.redact(detail));
    }
  }

  private static byte[] file(SecretPointer pointer, Path path) {
    try (InputStream in = Files.newInputStream(path)) {
      return in.readNBytes(MAX_BYTES + 1);
    } catch (IOException e) {
      throw unreadable(pointer, e.getClass().getSimpleName());
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

  private static WingsException unreadable(SecretPointer pointer, String why) {
    return new WingsException(
        ErrorKind.UNAVAILABLE, "secret-unreadable", "can't read " + pointer + ": " + why);
  }

  private static WingsException invalid(SecretPointer pointer, String why) {
    return WingsException.invalid("secret-invalid", pointer + " is no secret: " + why);
  }
}
