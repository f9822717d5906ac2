package io.wings.common.cas;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A record as a readable JSON object in snake_case, its put id beside its own fields. Unknown,
 * missing and duplicate fields are errors, as is anything after the object.
 */
public final class JsonCodec<T> implements Codec<T> {
  private static final String PUT_ID = "put_id";

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .build();

  private final Class<T> type;

  public JsonCodec(Class<T> type) {
    this.type = type;
  }

  @Override
  public Body encode(T value, String putId) {
    ObjectNode object = MAPPER.valueToTree(value);
    object.put(PUT_ID, putId);
    try {
      return Body.of(MAPPER.writeValueAsBytes(object));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a " + type.getSimpleName() + " has no JSON form", e);
    }
  }

  @Override
  public Stamped<T> decode(byte[] bytes) {
    try {
      JsonNode tree = MAPPER.readTree(bytes);
      if (!(tree instanceof ObjectNode object) || !object.path(PUT_ID).isTextual()) {
        throw invalid("expected an object with a text \"" + PUT_ID + "\"", null);
      }
      String putId = object.remove(PUT_ID).textValue();
      return new Stamped<>(MAPPER.treeToValue(object, type), putId);
    } catch (IOException e) {
      throw invalid(String.valueOf(e.getMessage()), e);
    }
  }

  private WingsException invalid(String detail, @Nullable Throwable cause) {
    return new WingsException(
        ErrorKind.CORRUPT,
        "stored-json-invalid",
        "a stored " + type.getSimpleName() + " can't be read: " + detail,
        cause);
  }
}
