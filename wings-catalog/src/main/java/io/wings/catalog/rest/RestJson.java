package io.wings.catalog.rest;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import org.apache.iceberg.rest.RESTMessage;
import org.apache.iceberg.rest.RESTSerializers;

/** The protocol's JSON, as Iceberg's own client writes and reads it. */
final class RestJson {
  private static final JsonMapper MAPPER = mapper();

  private RestJson() {}

  private static JsonMapper mapper() {
    JsonMapper mapper =
        JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .visibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY)
            .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .build();
    RESTSerializers.registerAll(mapper);
    return mapper;
  }

  /**
   * Reads a request.
   *
   * @throws IllegalArgumentException when it is none of this type
   */
  static <T extends RESTMessage> T read(byte[] body, Class<T> type) {
    try {
      T request = MAPPER.readValue(body, type);
      if (request == null) {
        throw new IllegalArgumentException("expected a " + type.getSimpleName());
      }
      request.validate();
      return request;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "malformed " + type.getSimpleName() + ": " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new IllegalArgumentException("malformed " + type.getSimpleName(), e);
    }
  }

  static byte[] write(Object message) {
    try {
      return MAPPER.writeValueAsBytes(message);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an answer that can't be written", e);
    }
  }
}
