package io.wings.cli.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.common.error.WingsException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableLayoutTest {
  @Test
  void readsTransformsOfEveryKind() {
    JsonNode fields =
        Objects.requireNonNull(
                TableLayout.partitionSpec(List.of("a", "Day(at)", "bucket(16, id)", "void(x)")))
            .path("fields");
    assertEquals(
        List.of("identity", "day", "bucket[16]", "void"),
        List.of(
            fields.get(0).path("transform").asText(),
            fields.get(1).path("transform").asText(),
            fields.get(2).path("transform").asText(),
            fields.get(3).path("transform").asText()));
  }

  @Test
  void readsDirectionsAndNulls() {
    JsonNode fields =
        Objects.requireNonNull(TableLayout.sortOrder(List.of("order id desc", "b NULLS last")))
            .path("fields");
    assertEquals("order id", fields.get(0).path("source-name").asText());
    assertEquals("nulls-last", fields.get(0).path("null-order").asText());
    assertEquals("asc", fields.get(1).path("direction").asText());
    assertEquals("nulls-last", fields.get(1).path("null-order").asText());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dya(at)       | did you mean 'day'?",
        "bukcet(4, id) | did you mean 'bucket'?",
        "sha(id)       | known are bucket, day",
        "bucket(id)    | as in bucket(16, id)",
        "day(4, at)    | as in day(at)",
        "day(at        | expected column",
      })
  void saysWhatIsWrongWithATransform(String expression, String part) {
    WingsException error =
        assertThrows(
            WingsException.class, () -> TableLayout.partitionSpec(List.of(expression.strip())));
    assertTrue(String.valueOf(error.getMessage()).contains(part), error::getMessage);
  }

  @ParameterizedTest
  @CsvSource({"id descending", "id dsc", "day(at) acs"})
  void saysWhatIsWrongWithADirection(String expression) {
    WingsException error =
        assertThrows(WingsException.class, () -> TableLayout.sortOrder(List.of(expression)));
    assertTrue(String.valueOf(error.getMessage()).contains("come asc|desc"), error::getMessage);
  }
}
