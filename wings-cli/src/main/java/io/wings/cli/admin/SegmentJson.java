package io.wings.cli.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.wal.BatchEntry;
import io.wings.common.wal.EpochRecord;
import io.wings.common.wal.RejectedEntry;
import io.wings.common.wal.RulesRecord;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.WalEntry;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.JsonStringArrayList;
import org.apache.arrow.vector.util.JsonStringHashMap;
import org.jspecify.annotations.Nullable;

/** What a segment holds as JSON objects, each with its {@code kind}. */
final class SegmentJson {
  private static final String KIND = "kind";

  private static final JsonMapper JSON =
      JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();

  private SegmentJson() {}

  /** The footer itself, then its entries in log order, then the checkpoint where there is one. */
  static List<ObjectNode> lines(SegmentFooter footer) {
    List<ObjectNode> lines = new ArrayList<>();
    lines.add(
        JSON.createObjectNode()
            .put(KIND, "footer")
            .put("table", footer.table().toString())
            .put("incarnation", footer.incarnation())
            .put("lane", footer.lane())
            .put("number", footer.number())
            .put("put_id", footer.putId())
            .put("ingestor", footer.ingestor())
            .put("written", footer.written().toString())
            .put("batches", footer.batches().size())
            .put("rows", footer.rows()));
    footer.entries().forEach(entry -> lines.add(of(kind(entry), entry)));
    if (footer.checkpoint() != null) {
      lines.add(of("checkpoint", Objects.requireNonNull(footer.checkpoint())));
    }
    return lines;
  }

  private static ObjectNode of(String kind, Object value) {
    ObjectNode line = JSON.createObjectNode().put(KIND, kind);
    return line.setAll((ObjectNode) JSON.valueToTree(value));
  }

  private static String kind(WalEntry entry) {
    return switch (entry) {
      case BatchEntry _ -> "batch";
      case RejectedEntry _ -> "rejected";
      case EpochRecord _ -> "epoch";
      case RulesRecord _ -> "rules";
    };
  }

  /** A batch's rows: {@code {"kind":"row","values":{column: value}}}; bytes are base64. */
  static Stream<ObjectNode> rows(VectorSchemaRoot batch) {
    return IntStream.range(0, batch.getRowCount())
        .mapToObj(
            row -> {
              ObjectNode line = JSON.createObjectNode().put(KIND, "row");
              ObjectNode values = line.putObject("values");
              for (FieldVector column : batch.getFieldVectors()) {
                values.set(column.getName(), value(column.getObject(row)));
              }
              return line;
            });
  }

  private static JsonNode value(@Nullable Object value) {
    return switch (value) {
      case null -> JSON.getNodeFactory().nullNode();
      case Boolean flag -> JSON.getNodeFactory().booleanNode(flag);
      case Number number -> JSON.valueToTree(number);
      case byte[] bytes ->
          JSON.getNodeFactory().textNode(Base64.getEncoder().encodeToString(bytes));
      case JsonStringArrayList<?> list -> parsed(list.toString());
      case JsonStringHashMap<?, ?> fields -> parsed(fields.toString());
      default -> JSON.getNodeFactory().textNode(value.toString());
    };
  }

  private static JsonNode parsed(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException _) {
      return JSON.getNodeFactory().textNode(json);
    }
  }
}
