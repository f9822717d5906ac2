package io.wings.common.flight;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.EnumNamingStrategies;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.google.protobuf.ByteString;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Printable;
import io.wings.common.config.Suggestion;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.arrow.flight.impl.Flight;

/**
 * The one way in which this package's JSON is read and written: snake_case keys and kebab-case
 * values, no key twice, no unknown key or value, nothing coerced, nothing after the end, bounded in
 * size and depth.
 */
final class FlightJson {
  /** A description, a batch's metadata or a result; create-table's schema is the largest. */
  static final int MAX_DOCUMENT_BYTES = 1 << 20;

  /**
   * What an ingestor answers; the description of a table with ten thousand columns is the largest.
   */
  static final int MAX_REPLY_BYTES = 16 << 20;

  private static final int MAX_DEPTH = 64;

  private static final PropertyNamingStrategies.NamingBase SNAKE_CASE =
      new PropertyNamingStrategies.SnakeCaseStrategy();
  private static final JsonMapper MAPPER = mapper(MAX_DOCUMENT_BYTES);

  /** Within the cluster, where a newer version may say more. */
  private static final JsonMapper TOLERANT =
      mapper(MAX_REPLY_BYTES)
          .rebuild()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private FlightJson() {}

  private static JsonMapper mapper(int maxBytes) {
    StreamReadConstraints limits =
        StreamReadConstraints.builder()
            .maxNestingDepth(MAX_DEPTH)
            .maxStringLength(maxBytes)
            .maxDocumentLength(maxBytes)
            .build();
    SimpleModule names = new SimpleModule("wings");
    names.addSerializer(CatalogName.class, ToStringSerializer.instance);
    names.addDeserializer(CatalogName.class, new CatalogNameReader());
    return JsonMapper.builder(JsonFactory.builder().streamReadConstraints(limits).build())
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .enable(
            DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
            DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
            DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
            DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .withCoercionConfig(
            LogicalType.Textual,
            config ->
                config
                    .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
        .propertyNamingStrategy(SNAKE_CASE)
        .enumNamingStrategy(EnumNamingStrategies.KEBAB_CASE)
        .defaultPropertyInclusion(
            JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
        .addModule(names)
        .build();
  }

  static ByteString encode(Object value) {
    try {
      return ByteString.copyFrom(MAPPER.writeValueAsBytes(value));
    } catch (JsonProcessingException e) {
      throw new WingsException(
          ErrorKind.INTERNAL, "encoding-failed", String.valueOf(e.getMessage()), e);
    }
  }

  static Flight.FlightDescriptor descriptor(Object command) {
    return Flight.FlightDescriptor.newBuilder()
        .setType(Flight.FlightDescriptor.DescriptorType.CMD)
        .setCmd(encode(command))
        .build();
  }

  /**
   * Decodes the base64 text of a field.
   *
   * @throws WingsException {@code request-invalid}
   */
  static byte[] base64(String field, String text) {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new WingsException(
          ErrorKind.INVALID, "request-invalid", "'" + field + "' is no base64", e);
    }
  }

  /** The {@code cmd} of a descriptor that must have one and nothing else. */
  static ByteString command(Flight.FlightDescriptor descriptor, String what) {
    if (descriptor.getType() != Flight.FlightDescriptor.DescriptorType.CMD
        || descriptor.getPathCount() > 0) {
      throw WingsException.invalid(
          "request-invalid", "expected a descriptor whose cmd is a " + what);
    }
    return descriptor.getCmd();
  }

  /**
   * Reads one JSON object.
   *
   * @param type a record
   * @param what names it in errors, e.g. {@code batch metadata}
   * @throws WingsException {@code request-invalid}, saying which field, expected and got; or what
   *     the type's own constructor threw
   */
  static <T> T decode(Class<T> type, ByteString json, String what) {
    return decode(MAPPER, MAX_DOCUMENT_BYTES, _ -> type, json, what);
  }

  /**
   * Reads what another role of the cluster sent, which may be of a newer version: keys that this
   * one doesn't know are passed over. A version that must not be misread changes a value that this
   * one knows, and is refused by that.
   *
   * @throws WingsException {@code request-invalid}
   */
  static <T> T decodeInternal(Class<T> type, ByteString json, String what) {
    return decodeInternal(_ -> type, json, what);
  }

  /** The same, where the document itself says what it is. */
  static <T> T decodeInternal(
      Function<JsonNode, Class<? extends T>> chooser, ByteString json, String what) {
    return decode(TOLERANT, MAX_DOCUMENT_BYTES, chooser, json, what);
  }

  /**
   * Reads what another role of the cluster demands. A key that this version doesn't know asks for
   * something that it doesn't do, and must not be passed over.
   *
   * @throws WingsException UNAVAILABLE {@code request-newer}; {@code request-invalid}
   */
  static <T> T decodeDemand(Class<T> type, ByteString json, String what) {
    T read = decodeInternal(type, json, what);
    try {
      requireKnown(MAPPER.readTree(json.newInput()), type, what);
    } catch (WingsException e) {
      throw WingsException.unavailable(
          "request-newer",
          "the caller is of a newer version than this ingestor; upgrade the ingestors first: "
              + e.getMessage(),
          e);
    } catch (IOException e) {
      throw new WingsException(ErrorKind.INTERNAL, "decoding-failed", what, e);
    }
    return read;
  }

  /** Reads the reply of an ingestor, as {@link #decodeInternal}, and larger ones. */
  static <T> T decodeReply(Class<T> type, ByteString json) {
    return decode(TOLERANT, MAX_REPLY_BYTES, _ -> type, json, "reply");
  }

  private static <T> T decode(
      JsonMapper mapper,
      int maxBytes,
      Function<JsonNode, Class<? extends T>> chooser,
      ByteString json,
      String what) {
    if (json.size() > maxBytes) {
      throw WingsException.invalid(
          "request-invalid",
          "the %s has %d bytes, at most %d are read".formatted(what, json.size(), maxBytes));
    }
    try {
      JsonNode tree = mapper.readTree(json.newInput());
      if (!tree.isObject()) {
        throw WingsException.invalid("request-invalid", "the " + what + " is no JSON object");
      }
      Class<? extends T> type = chooser.apply(tree);
      if (mapper.isEnabled(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)) {
        // First, because a misspelt key is also a missing one, and that says less.
        requireKnown(tree, type, what);
      }
      return mapper.treeToValue(tree, type);
    } catch (InvalidFormatException e) {
      throw wrongValue(e, what);
    } catch (JsonMappingException e) {
      if (e.getCause() instanceof WingsException own) {
        throw own;
      }
      throw wrongType(e, what);
    } catch (JsonProcessingException e) {
      throw new WingsException(
          ErrorKind.INVALID,
          "request-invalid",
          "the " + what + " is no JSON object: " + Printable.of(e.getOriginalMessage()),
          e);
    } catch (IOException e) {
      throw new WingsException(ErrorKind.INTERNAL, "decoding-failed", what, e);
    }
  }

  private static void requireKnown(JsonNode object, Class<?> record, String what) {
    List<String> known =
        Arrays.stream(record.getRecordComponents())
            .map(component -> SNAKE_CASE.translate(component.getName()))
            .toList();
    object
        .fieldNames()
        .forEachRemaining(
            key -> {
              if (!known.contains(key)) {
                throw Suggestion.unknown(
                    "request-invalid", "key in the " + what, Printable.of(key), known);
              }
            });
  }

  private static WingsException wrongValue(InvalidFormatException e, String what) {
    Class<?> expected = e.getTargetType();
    String got = Printable.of(String.valueOf(e.getValue()));
    if (expected != null && expected.isEnum()) {
      return Suggestion.unknown(
          "request-invalid", "value of '" + path(e) + "' in the " + what, got, values(expected));
    }
    return new WingsException(
        ErrorKind.INVALID,
        "request-invalid",
        "'" + path(e) + "' in the " + what + ": " + expectation(e) + ", got \"" + got + "\"",
        e);
  }

  private static WingsException wrongType(JsonMappingException e, String what) {
    return new WingsException(
        ErrorKind.INVALID,
        "request-invalid",
        "'" + path(e) + "' in the " + what + ": " + expectation(e),
        e);
  }

  private static String expectation(JsonMappingException e) {
    Class<?> type =
        e instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null;
    if (type == null) {
      // Its own message names classes; that of what a record's constructor threw is ours.
      return e.getCause() == null
          ? "it isn't as expected"
          : Printable.of(String.valueOf(e.getCause().getMessage()));
    }
    if (type == Long.class || type == long.class || type == Integer.class || type == int.class) {
      return "expected an integer";
    }
    if (type == String.class || type == CatalogName.class || type.isEnum()) {
      return "expected a string";
    }
    if (type == Boolean.class || type == boolean.class) {
      return "expected true or false";
    }
    return Collection.class.isAssignableFrom(type) ? "expected an array" : "expected a JSON object";
  }

  private static String path(JsonMappingException e) {
    String path =
        e.getPath().stream()
            .map(
                reference ->
                    reference.getFieldName() != null
                        ? reference.getFieldName()
                        : "[" + reference.getIndex() + "]")
            .collect(Collectors.joining("."));
    return path.isEmpty() ? "document" : Printable.of(path);
  }

  private static List<String> values(Class<?> enumType) {
    return Arrays.stream(enumType.getEnumConstants())
        .map(constant -> MAPPER.convertValue(constant, String.class))
        .toList();
  }
}
