package io.wings.catalog.own;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.util.Locale;

/** The JSON of this catalog's objects: snake_case keys, readable, each with a format version. */
final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS))
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .build();

  private Json() {}

  static byte[] write(Object document) {
    try {
      return MAPPER.writeValueAsBytes(document);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a document that can't be written", e);
    }
  }

  /**
   * @param code of the error when the bytes are not such a document, or of another version
   */
  static <T> T read(byte[] bytes, Class<T> type, String code, int version) {
    try {
      JsonNode tree = MAPPER.readTree(bytes);
      int found = tree.path("format_version").asInt();
      if (found != version) {
        throw WingsException.corrupt(
            code,
            String.format(
                Locale.ROOT, "expected format_version %d, got %d: upgrade Wings", version, found));
      }
      return MAPPER.treeToValue(tree, type);
    } catch (IOException e) {
      throw WingsException.corrupt(code, "not a document of this format: " + summary(e));
    }
  }

  /** The message without the excerpt of the source that Jackson appends. */
  private static String summary(IOException e) {
    return e instanceof JsonProcessingException json
        ? json.getOriginalMessage()
        : String.valueOf(e.getMessage());
  }
}
