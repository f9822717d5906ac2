package io.wings.ingestor.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** The expected values of an integration file, from its JSON, as plain Java values. */
final class GoldenValues {
  private final JsonNode root;

  GoldenValues(Path stream) {
    String name = stream.getFileName().toString().replace(".stream", ".json.gz");
    try (InputStream in = new GZIPInputStream(Files.newInputStream(stream.resolveSibling(name)))) {
      root = JsonMapper.builder().build().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int batches() {
    return root.get("batches").size();
  }

  List<@Nullable Object> column(int batch, int index) {
    JsonNode column = root.get("batches").get(batch).get("columns").get(index);
    JsonNode field = root.get("schema").get("fields").get(index);
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < column.get("count").asInt(); i++) {
      values.add(value(column, field, i, true));
    }
    return values;
  }

  private @Nullable Object value(JsonNode column, JsonNode field, int i, boolean encoded) {
    JsonNode type = field.get("type");
    String name = type.get("name").asText();
    if (name.equals("null")
        || (column.has("VALIDITY") && column.get("VALIDITY").get(i).asInt() == 0)) {
      return null;
    }
    if (encoded && field.has("dictionary")) {
      for (JsonNode dictionary : root.get("dictionaries")) {
        if (dictionary.get("id").equals(field.get("dictionary").get("id"))) {
          return value(
              dictionary.get("data").get("columns").get(0), field, integer(column, i), false);
        }
      }
      throw new IllegalStateException("no dictionary");
    }
    return switch (name) {
      case "bool" -> column.get("DATA").get(i).asInt() == 1;
      case "int" -> new BigDecimal(column.get("DATA").get(i).asText());
      case "floatingpoint" -> floating(column.get("DATA").get(i), type);
      case "decimal" ->
          new BigDecimal(
              new BigInteger(column.get("DATA").get(i).asText()), type.get("scale").asInt());
      case "date", "time", "timestamp" -> temporal(column.get("DATA").get(i).asText(), name, type);
      case "utf8", "largeutf8" -> column.get("DATA").get(i).asText();
      case "binary", "largebinary", "fixedsizebinary" -> column.get("DATA").get(i).asText();
      case "binaryview", "utf8view" -> view(column, i, name);
      case "list", "largelist" ->
          items(column, field, offset(column, i), offset(column, i + 1) - offset(column, i));
      case "fixedsizelist" -> {
        int size = type.get("listSize").asInt();
        yield items(column, field, i * size, size);
      }
      case "listview", "largelistview" ->
          items(column, field, offset(column, i), column.get("SIZE").get(i).asInt());
      case "map" ->
          items(column, field, offset(column, i), offset(column, i + 1) - offset(column, i))
              .stream()
              .map(VectorValues::entry)
              .toList();
      case "struct" -> {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (int c = 0; c < field.get("children").size(); c++) {
          JsonNode child = field.get("children").get(c);
          values.put(
              child.get("name").asText(), value(column.get("children").get(c), child, i, true));
        }
        yield values;
      }
      case "runendencoded" -> {
        int run = 0;
        while (integer(column.get("children").get(0), run) <= i) {
          run++;
        }
        yield value(column.get("children").get(1), field.get("children").get(1), run, true);
      }
      default -> throw new IllegalStateException(name);
    };
  }

  private List<@Nullable Object> items(JsonNode column, JsonNode field, int start, int count) {
    List<@Nullable Object> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      items.add(
          value(column.get("children").get(0), field.get("children").get(0), start + i, true));
    }
    return items;
  }

  private static int integer(JsonNode column, int i) {
    return Integer.parseInt(column.get("DATA").get(i).asText());
  }

  private static int offset(JsonNode column, int i) {
    return Integer.parseInt(column.get("OFFSET").get(i).asText());
  }

  private static Object floating(JsonNode value, JsonNode type) {
    return switch (type.get("precision").asText()) {
      case "DOUBLE" -> value.asDouble();
      case "SINGLE" -> (double) (float) value.asDouble();
      default -> (double) Float.float16ToFloat(Float.floatToFloat16((float) value.asDouble()));
    };
  }

  /** Days, or microseconds, or nanoseconds for a timestamp of nanoseconds. */
  private static Object temporal(String text, String name, JsonNode type) {
    BigDecimal value = new BigDecimal(text);
    String unit = type.get("unit").asText();
    if (name.equals("date")) {
      return unit.equals("DAY") ? value : value.divideToIntegralValue(new BigDecimal(86_400_000));
    }
    return switch (unit) {
      case "SECOND" -> value.multiply(new BigDecimal(1_000_000));
      case "MILLISECOND" -> value.multiply(new BigDecimal(1_000));
      default -> value;
    };
  }

  private static String view(JsonNode column, int i, String name) {
    JsonNode view = column.get("VIEWS").get(i);
    if (view.has("INLINED")) {
      return view.get("INLINED").asText();
    }
    String buffer =
        column.get("VARIADIC_DATA_BUFFERS").get(view.get("BUFFER_INDEX").asInt()).asText();
    int start = view.get("OFFSET").asInt() * 2;
    String hex = buffer.substring(start, start + view.get("SIZE").asInt() * 2);
    return name.equals("utf8view")
        ? new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8)
        : hex;
  }
}
