package io.wings.ingestor.stream;

import static io.wings.ingestor.stream.Crafted.field;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each rule that a batch must keep. */
class ColumnReaderTest {
  private static final Field INT = field("a", new ArrowType.Int(32, true));
  private static final Field TEXT = field("a", ArrowType.Utf8.INSTANCE);
  private static final Field ITEM = field("item", new ArrowType.Int(32, true));
  private static final Field LIST = field("a", ArrowType.List.INSTANCE, ITEM);

  private static void assertRefused(String expected, Field field, Crafted batch) {
    String message = Decoded.refusal(field, batch.batch());
    assertTrue(message.startsWith(expected), message);
  }

  private static void assertMalformed(String expected, Field field, Crafted batch) {
    assertRefused("batch-malformed: column \"a\"" + expected, field, batch);
  }

  private static List<@Nullable Object> values(Field field, Crafted batch) {
    return Decoded.values(field, batch.batch()).getFirst();
  }

  private static BigDecimal n(long value) {
    return new BigDecimal(value);
  }

  @Test
  void refusesCountsThatContradictEachOther() {
    assertMalformed(
        ": length: expected 2, got 3", INT, Crafted.rows(2).node(3, 0).none().ints(1, 2, 3));
    assertMalformed(
        ": node: expected 0 <= nulls <= length, got 3 nulls of 2",
        INT,
        Crafted.rows(2).node(2, 3).none().ints(1, 2));
    assertMalformed(": node: ", INT, Crafted.rows(2).node(-2, 0).none().ints(1, 2));
    assertMalformed(": nodes: ", INT, Crafted.rows(2).none().ints(1, 2));
    assertMalformed(": buffers: ", INT, Crafted.rows(2).node(2, 0).none());
    assertRefused(
        "batch-malformed: the batch has more",
        INT,
        Crafted.rows(1).node(1, 0).none().ints(1).none());
    assertRefused(
        "batch-malformed: the batch has more",
        INT,
        Crafted.rows(1).node(1, 0).node(1, 0).none().ints(1));
    assertRefused(
        "batch-malformed: the batch has more",
        INT,
        Crafted.rows(1).node(1, 0).none().ints(1).variadic(0));
    assertRefused("message-malformed", INT, Crafted.rows(-1).node(1, 0).none().ints(1));
    assertRefused(
        "batch-too-large", INT, Crafted.rows(1_001).node(1_001, 0).none().ints(new int[1_001]));
    assertRefused("batch-too-large", INT, Crafted.rows(1).node(10_001, 0).none().ints(1));
  }

  @Test
  void refusesBuffersOutsideTheBody() {
    assertMalformed(": buffer 1: ", INT, Crafted.rows(1).node(1, 0).none().span(0, 1_000));
    assertMalformed(": buffer 1: ", INT, Crafted.rows(1).node(1, 0).none().span(-8, 4));
    assertMalformed(": buffer 1: ", INT, Crafted.rows(1).node(1, 0).none().span(0, -1));
    assertMalformed(": buffer 1: ", INT, Crafted.rows(1).node(1, 0).none().span(Long.MAX_VALUE, 4));
    assertMalformed(
        ": buffer: expected at least 8 bytes, got 4",
        INT,
        Crafted.rows(2).node(2, 0).none().ints(1));
  }

  @Test
  void chargesBuffersThatShareTheirBytes() {
    Field[] many = new Field[40];
    Crafted shared = Crafted.rows(1_000).bytes(1 << 19);
    for (int i = 0; i < many.length; i++) {
      many[i] = field("c" + i, new ArrowType.Int(32, true));
      shared.node(1_000, 0).none().span(0, 1 << 19);
    }
    String message = Decoded.refusal(null, List.of(many), shared.batch());
    assertTrue(message.startsWith("batch-too-large: "), message);
  }

  @Test
  void holdsNullCountsAgainstTheValidity() {
    assertMalformed(
        ": null count: expected 1", INT, Crafted.rows(2).node(2, 0).buffer((byte) 1).ints(1, 2));
    assertMalformed(
        ": null count: expected 0 without", INT, Crafted.rows(2).node(2, 1).none().ints(1, 2));
    assertMalformed(
        ": buffer: ", INT, Crafted.rows(9).node(9, 1).buffer((byte) 1).ints(new int[9]));
    assertEquals(
        Arrays.asList(n(1), null),
        values(INT, Crafted.rows(2).node(2, 1).buffer((byte) 1).ints(1, 2)));
  }

  @Test
  void refusesOffsetsThatAreNotMonotoneOrReachBeyond() {
    assertMalformed(
        ", row 1: offset: ", TEXT, Crafted.rows(2).node(2, 0).none().ints(0, 2, 1).text("ab"));
    assertMalformed(
        ", row 0: offset: ", TEXT, Crafted.rows(1).node(1, 0).none().ints(-1, 1).text("ab"));
    assertMalformed(
        ": buffer: expected at least 3 bytes",
        TEXT,
        Crafted.rows(1).node(1, 0).none().ints(0, 3).text("ab"));
    assertMalformed(
        ": buffer: expected at least 8 bytes",
        TEXT,
        Crafted.rows(1).node(1, 0).none().ints(0).text("ab"));
    Field large = field("a", ArrowType.LargeUtf8.INSTANCE);
    assertMalformed(
        ", row 0: offset: ",
        large,
        Crafted.rows(1).node(1, 0).none().longs(0, 1L << 40).text("ab"));
    assertEquals(
        List.of("b"), values(large, Crafted.rows(1).node(1, 0).none().longs(1, 2).text("ab")));
    assertEquals(
        List.of("b"), values(TEXT, Crafted.rows(1).node(1, 0).none().ints(1, 2).text("ab")));
    assertEquals(List.of(), values(TEXT, Crafted.rows(0).node(0, 0).none().none().none()));
  }

  @Test
  void refusesTextThatIsNotUtf8() {
    assertMalformed(
        ", row 1: text: expected UTF-8",
        TEXT,
        Crafted.rows(2).node(2, 0).none().ints(0, 1, 2).buffer((byte) 'a', (byte) 0xff));
    assertMalformed(
        ", row 0: text: ", TEXT, Crafted.rows(2).node(2, 0).none().ints(0, 1, 2).text("é"));
    assertEquals(
        Arrays.asList("a", null),
        values(
            TEXT,
            Crafted.rows(2)
                .node(2, 1)
                .buffer((byte) 1)
                .ints(0, 1, 2)
                .buffer((byte) 'a', (byte) 0xff)));
  }

  @Test
  void refusesDecimalsBeyondTheirPrecision() {
    Field four = field("a", new ArrowType.Decimal(4, 2, 32));
    assertMalformed(
        ", row 0: decimal: expected at most 4 digits, got 10000",
        four,
        Crafted.rows(1).node(1, 0).none().ints(10_000));
    assertEquals(
        List.of(new BigDecimal("-99.99")),
        values(four, Crafted.rows(1).node(1, 0).none().ints(-9_999)));
    Field twelve = field("a", new ArrowType.Decimal(12, 0, 64));
    assertMalformed(
        ", row 0: decimal: ", twelve, Crafted.rows(1).node(1, 0).none().longs(1_000_000_000_000L));
    Field wide = field("a", new ArrowType.Decimal(20, 0, 128));
    assertMalformed(", row 0: decimal: ", wide, Crafted.rows(1).node(1, 0).none().longs(0, 6));
    assertEquals(
        List.of(n(Long.MIN_VALUE)),
        values(wide, Crafted.rows(1).node(1, 0).none().longs(Long.MIN_VALUE, -1)));
    Field narrow = field("a", new ArrowType.Decimal(5, 0, 128));
    assertMalformed(", row 0: decimal: ", narrow, Crafted.rows(1).node(1, 0).none().longs(1, 1));
    Field widest = field("a", new ArrowType.Decimal(38, 0, 256));
    assertMalformed(
        ", row 0: decimal: ", widest, Crafted.rows(1).node(1, 0).none().longs(0, 0, 1, 0));
    assertEquals(
        List.of(n(-5)), values(widest, Crafted.rows(1).node(1, 0).none().longs(-5, -1, -1, -1)));
  }

  @Test
  void refusesDatesAndTimesOutOfRange() {
    Field date = field("a", new ArrowType.Date(DateUnit.MILLISECOND));
    assertMalformed(", row 0: date: ", date, Crafted.rows(1).node(1, 0).none().longs(1));
    assertMalformed(
        ", row 0: date: ", date, Crafted.rows(1).node(1, 0).none().longs(86_400_000L << 32));
    assertEquals(
        List.of(n(-1)), values(date, Crafted.rows(1).node(1, 0).none().longs(-86_400_000)));
    Field time = field("a", new ArrowType.Time(TimeUnit.SECOND, 32));
    assertMalformed(", row 0: time: ", time, Crafted.rows(1).node(1, 0).none().ints(86_400));
    assertMalformed(", row 0: time: ", time, Crafted.rows(1).node(1, 0).none().ints(-1));
    assertEquals(
        List.of(n(86_399_000_000L)), values(time, Crafted.rows(1).node(1, 0).none().ints(86_399)));
  }

  @Test
  void refusesListsThatReachBeyondTheirItems() {
    assertMalformed(
        ", row 0: offset: ",
        LIST,
        Crafted.rows(1).node(1, 0).none().ints(0, 3).node(2, 0).none().ints(1, 2));
    assertEquals(
        List.of(List.of(n(2))),
        values(LIST, Crafted.rows(1).node(1, 0).none().ints(1, 2).node(3, 0).none().ints(1, 2, 3)));
    Field fixed = field("a", new ArrowType.FixedSizeList(2), ITEM);
    assertMalformed(
        ": items: expected 4, got 3",
        fixed,
        Crafted.rows(2).node(2, 0).none().node(3, 0).none().ints(1, 2, 3));
    assertEquals(
        List.of(List.of(n(1), n(2))),
        values(fixed, Crafted.rows(1).node(1, 0).none().node(2, 0).none().ints(1, 2)));
  }

  @Test
  void namesTheRowOfABadItem() {
    Field texts = field("a", ArrowType.List.INSTANCE, field("item", ArrowType.Utf8.INSTANCE));
    assertRefused(
        "batch-malformed: column \"a.item\", row 2: text: ",
        texts,
        Crafted.rows(3)
            .node(3, 0)
            .none()
            .ints(0, 1, 1, 3)
            .node(3, 0)
            .none()
            .ints(0, 1, 2, 3)
            .buffer((byte) 'a', (byte) 'b', (byte) 0xc0));
  }

  @Test
  void refusesStructsWhoseFieldsHaveOtherLengths() {
    Field struct = field("a", ArrowType.Struct.INSTANCE, field("x", new ArrowType.Int(32, true)));
    assertRefused(
        "batch-malformed: column \"a.x\": length: expected 2, got 1",
        struct,
        Crafted.rows(2).node(2, 0).none().node(1, 0).none().ints(1));
    assertEquals(
        List.of(Map.of("x", n(4))),
        values(struct, Crafted.rows(1).node(1, 0).none().node(1, 0).none().ints(4)));
  }

  @Test
  void refusesListViewsOutsideTheirItems() {
    Field view = field("a", new ArrowType.ListView(), ITEM);
    assertMalformed(
        ", row 1: range: ",
        view,
        Crafted.rows(2).node(2, 0).none().ints(0, 2).ints(1, 2).node(3, 0).none().ints(1, 2, 3));
    assertMalformed(
        ", row 0: range: ",
        view,
        Crafted.rows(1).node(1, 0).none().ints(-1).ints(1).node(1, 0).none().ints(1));
    assertEquals(
        Arrays.asList(List.of(n(2), n(3)), null, List.of(n(1), n(2))),
        values(
            view,
            Crafted.rows(3)
                .node(3, 1)
                .buffer((byte) 5)
                .ints(1, 77, 0)
                .ints(2, -5, 2)
                .node(3, 0)
                .none()
                .ints(1, 2, 3)));
  }

  @Test
  void refusesListViewsThatMultiplyTheirItems() {
    Field view = field("a", new ArrowType.ListView(), ITEM);
    int[] zeros = new int[1_000];
    int[] hundreds = new int[1_000];
    Arrays.fill(hundreds, 100);
    assertRefused(
        "batch-too-large",
        view,
        Crafted.rows(1_000)
            .node(1_000, 0)
            .none()
            .ints(zeros)
            .ints(hundreds)
            .node(100, 0)
            .none()
            .ints(new int[100]));
  }

  @Test
  void refusesViewsThatPointAstray() {
    Field view = field("a", ArrowType.Utf8View.INSTANCE);
    int prefix = 'a' | 'b' << 8 | 'c' << 16 | 'd' << 24;
    String bytes = "abcdefghijklmnop";
    assertEquals(
        List.of("abcdefghijklmn"),
        values(
            view,
            Crafted.rows(1).node(1, 0).none().ints(14, prefix, 0, 0).text(bytes).variadic(1)));
    assertEquals(
        List.of("abcd"),
        values(view, Crafted.rows(1).node(1, 0).none().ints(4, prefix, 0, 0).variadic(0)));
    assertMalformed(
        ", row 0: view: expected one of 1 buffers, got 1",
        view,
        Crafted.rows(1).node(1, 0).none().ints(14, prefix, 1, 0).text(bytes).variadic(1));
    assertMalformed(
        ", row 0: view: expected a range within",
        view,
        Crafted.rows(1).node(1, 0).none().ints(14, prefix, 0, 3).text(bytes).variadic(1));
    assertMalformed(
        ", row 0: view: expected a length",
        view,
        Crafted.rows(1).node(1, 0).none().ints(-1, prefix, 0, 0).text(bytes).variadic(1));
    assertMalformed(
        ", row 0: view: expected the prefix",
        view,
        Crafted.rows(1).node(1, 0).none().ints(14, 7, 0, 0).text(bytes).variadic(1));
    assertMalformed(
        ": variadic buffers: ",
        view,
        Crafted.rows(1).node(1, 0).none().ints(4, prefix, 0, 0).variadic(2));
    assertMalformed(
        ": variadic buffer counts: ",
        view,
        Crafted.rows(1).node(1, 0).none().ints(4, prefix, 0, 0));
    assertEquals(
        Arrays.asList((Object) null),
        values(view, Crafted.rows(1).node(1, 1).buffer((byte) 0).ints(-9, 7, 7, 7).variadic(0)));
  }

  @Test
  void refusesViewsThatMultiplyTheirBytes() {
    Field view = field("a", new ArrowType.BinaryView());
    int[] views = new int[4 * 1_000];
    for (int i = 0; i < 1_000; i++) {
      views[4 * i] = 1 << 16;
    }
    assertRefused(
        "batch-too-large",
        view,
        Crafted.rows(1_000)
            .node(1_000, 0)
            .none()
            .ints(views)
            .buffer(new byte[1 << 16])
            .variadic(1));
  }

  @Test
  void refusesRunEndsThatDoNotCoverTheRows() {
    Field runs =
        field(
            "a",
            ArrowType.RunEndEncoded.INSTANCE,
            Crafted.required("run_ends", new ArrowType.Int(32, true)),
            field("values", new ArrowType.Int(32, true)));
    assertEquals(
        Arrays.asList(n(5), n(5), null),
        values(
            runs,
            Crafted.rows(3)
                .node(3, 0)
                .node(2, 0)
                .none()
                .ints(2, 9)
                .node(2, 1)
                .buffer((byte) 1)
                .ints(5, 6)));
    assertMalformed(
        ": run ends: expected to reach 3, got 2",
        runs,
        Crafted.rows(3).node(3, 0).node(1, 0).none().ints(2).node(1, 0).none().ints(5));
    assertMalformed(
        ": run end 1: expected more than 2, got 2",
        runs,
        Crafted.rows(2).node(2, 0).node(2, 0).none().ints(2, 2).node(2, 0).none().ints(5, 6));
    assertMalformed(
        ": run ends: expected no nulls",
        runs,
        Crafted.rows(1).node(1, 0).node(1, 1).buffer((byte) 0).ints(1).node(1, 0).none().ints(5));
    assertRefused(
        "batch-malformed: column \"a.values\": length: ",
        runs,
        Crafted.rows(1).node(1, 0).node(1, 0).none().ints(1).node(2, 0).none().ints(5, 6));
  }
}
