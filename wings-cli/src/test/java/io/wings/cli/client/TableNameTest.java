package io.wings.cli.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.common.error.WingsException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableNameTest {
  @Test
  void aNamespaceHasOneOrMoreLevels() {
    assertEquals(
        new TableName("main", List.of("shop", "eu"), "orders"),
        TableName.parse("main.shop.eu.orders"));
  }

  @Test
  void aNameInQuotesMayHaveDots() {
    assertEquals(
        new TableName("main", List.of("a.b", "c"), "say \"hi\""),
        TableName.parse("main.\"a.b\".c.\"say \"\"hi\"\"\""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"main.shop.orders", "m.\"a.b\".\"x\"\"y\"", "m.n.o.p", "m.käse.\"z. b.\""})
  void isWrittenAsItIsParsed(String text) {
    assertEquals(text, TableName.parse(text).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "a", "a.b", "a..b", "a.b.", ".a.b", "a.b.\"c", "a.b.c\"d\"", "a.\"\".c"})
  void refusesAnythingElse(String text) {
    WingsException error = assertThrows(WingsException.class, () -> TableName.parse(text));
    assertEquals("table-name-invalid", error.code());
  }
}
