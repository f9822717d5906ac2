package io.wings.common.cas;

import com.fasterxml.jackson.annotation.JsonInclude;
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
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record as a readable JSON object in snake_case, its put id beside its own fields. Unknown,
 * missing and duplicate fields are errors, as is anything after the object.
 *
 * <p>A {@link #tolerant} one reads what a newer version wrote: it passes over fields that it
 * doesn't know and keeps them when it replaces the object; and what an older version wrote: fields
 * that are {@code @Nullable} may be missing. Nested objects stay strict.
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

  private static final JsonMapper TOLERANT =
      MAPPER
          .rebuild()
          .disable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .disable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .build();

  private static final PropertyNamingStrategies.NamingBase NAMES =
      new PropertyNamingStrategies.SnakeCaseStrategy();

  private final Class<T> type;
  private final boolean tolerant;
  private final JsonMapper mapper;

  public JsonCodec(Class<T> type) {
    this(type, false);
  }

  private JsonCodec(Class<T> type, boolean tolerant) {
    this.type = type;
    this.tolerant = tolerant;
    this.mapper = tolerant ? TOLERANT : MAPPER;
  }

  /** One that gets on with the fields of other versions. */
  public static <T extends Record> JsonCodec<T> tolerant(Class<T> type) {
    return new JsonCodec<>(type, true);
  }

  @Override
  public Body encode(T value, String putId) {
    return body(mapper.valueToTree(value), putId);
  }

  @Override
  public Body encode(T value, String putId, byte[] before) {
    ObjectNode object = mapper.valueToTree(value);
    if (tolerant) {
      try {
        if (mapper.readTree(before) instanceof ObjectNode stored) {
          stored.remove(known());
          stored.remove(PUT_ID);
          object.setAll(stored);
        }
      } catch (IOException e) {
        throw invalid(String.valueOf(e.getMessage()), e);
      }
    }
    return body(object, putId);
  }

  private Body body(ObjectNode object, String putId) {
    object.put(PUT_ID, putId);
    try {
      return Body.of(mapper.writeValueAsBytes(object));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a " + type.getSimpleName() + " has no JSON form", e);
    }
  }

  private List<String> known() {
    return Arrays.stream(type.getRecordComponents())
        .map(component -> NAMES.translate(component.getName()))
        .toList();
  }

  private void requirePresent(ObjectNode object) {
    for (RecordComponent component : type.getRecordComponents()) {
      String name = NAMES.translate(component.getName());
      boolean optional = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
      if (!optional && !object.hasNonNull(name)) {
        throw invalid("\"" + name + "\" is missing", null);
      }
    }
  }

  @Override
  public Stamped<T> decode(byte[] bytes) {
    try {
      JsonNode tree = mapper.readTree(bytes);
      if (!(tree instanceof ObjectNode object) || !object.path(PUT_ID).isTextual()) {
        throw invalid("expected an object with a text \"" + PUT_ID + "\"", null);
      }
      String putId = object.remove(PUT_ID).textValue();
      if (tolerant) {
        object.retain(known());
        requirePresent(object);
      }
      return new Stamped<>(mapper.treeToValue(object, type), putId);
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
