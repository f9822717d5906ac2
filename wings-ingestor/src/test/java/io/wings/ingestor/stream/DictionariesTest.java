package io.wings.ingestor.stream;

import static io.wings.ingestor.stream.Crafted.field;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;

/** Dictionaries: decoded as they are when a batch comes, within limits. */
class DictionariesTest {
  private static final Field CODED = coded("a", 7, new ArrowType.Int(32, true));
  private static final Frames AB = words(false, "a", "b");

  private static Field coded(String name, long id, ArrowType.Int index) {
    return new Field(
        name,
        new FieldType(true, ArrowType.Utf8.INSTANCE, new DictionaryEncoding(id, false, index)),
        List.of());
  }

  private static Frames words(boolean delta, String... words) {
    int[] offsets = new int[words.length + 1];
    for (int i = 0; i < words.length; i++) {
      offsets[i + 1] = offsets[i] + words[i].length();
    }
    return Crafted.rows(words.length)
        .node(words.length, 0)
        .none()
        .ints(offsets)
        .text(String.join("", words))
        .dictionary(7, delta);
  }

  private static Frames codes(int... codes) {
    return Crafted.rows(codes.length).node(codes.length, 0).none().ints(codes).batch();
  }

  private static void assertRefused(String expected, Frames... messages) {
    String message = Decoded.refusal(CODED, messages);
    assertTrue(message.startsWith(expected), message);
  }

  @Test
  void decodesWhatTheCodesStandFor() {
    assertEquals(List.of(List.of("b", "a", "b")), Decoded.values(CODED, AB, codes(1, 0, 1)));
  }

  @Test
  void addsADeltaAndReplacesByAnother() {
    assertEquals(
        List.of(List.of("b"), List.of("c", "a"), List.of("z")),
        Decoded.values(
            CODED, AB, codes(1), words(true, "c"), codes(2, 0), words(false, "z"), codes(0)));
  }

  @Test
  void refusesCodesOutsideTheDictionary() {
    assertRefused("batch-malformed: column \"a\", row 1: dictionary index: ", AB, codes(0, 2));
    assertRefused("batch-malformed: column \"a\", row 0: dictionary index: ", AB, codes(-1));
    assertRefused(
        "batch-malformed: column \"a\", row 0: ", AB, codes(1), words(false, "z"), codes(1));
  }

  @Test
  void takesUnsignedCodes() {
    Field bytes = coded("a", 7, new ArrowType.Int(8, false));
    Frames codes = Crafted.rows(1).node(1, 0).none().buffer((byte) 1).batch();
    assertEquals(List.of(List.of("b")), Decoded.values(bytes, AB, codes));
    Field longs = coded("a", 7, new ArrowType.Int(64, false));
    String message =
        Decoded.refusal(longs, AB, Crafted.rows(1).node(1, 0).none().longs(-1).batch());
    assertTrue(message.contains("got 18446744073709551615"), message);
  }

  @Test
  void takesAnyCodeWhereThereIsNull() {
    Frames nulls = Crafted.rows(2).node(2, 1).buffer((byte) 2).ints(99, 0).batch();
    assertEquals(List.of(Arrays.asList(null, "a")), Decoded.values(CODED, AB, nulls));
    Frames onlyNull = Crafted.rows(1).node(1, 1).buffer((byte) 0).ints(99).batch();
    assertEquals(List.of(Arrays.asList((Object) null)), Decoded.values(CODED, onlyNull));
  }

  @Test
  void refusesABatchBeforeItsDictionary() {
    assertRefused("batch-malformed: column \"a\": dictionary 7: ", codes(0));
  }

  @Test
  void refusesADictionaryThatTheSchemaHasNot() {
    assertRefused(
        "dictionary-unknown",
        Crafted.rows(1).node(1, 0).none().ints(0, 1).text("a").dictionary(8, false));
  }

  @Test
  void refusesDictionariesBeyondTheLimit() {
    String half = "x".repeat(2_500);
    assertRefused("dictionaries-too-large", words(false, half), words(true, half));
    assertEquals(
        List.of(List.of(half)),
        Decoded.values(CODED, words(false, half), words(false, half), codes(0)));
    Field[] four = new Field[4];
    for (int i = 0; i < four.length; i++) {
      four[i] = coded("c" + i, i, new ArrowType.Int(32, true));
    }
    String message = Decoded.refusal(null, List.of(four));
    assertTrue(message.startsWith("schema-too-large"), message);
  }

  /** A short dictionary entry of some kilobytes must not become gigabytes of rows. */
  @Test
  void refusesABombOfCodes() {
    assertRefused("batch-too-large", words(false, "x".repeat(3_000)), codes(new int[1_000]));
  }

  @Test
  void decodesDictionariesWithinListsAndStructs() {
    Field list = field("l", ArrowType.List.INSTANCE, coded("item", 7, new ArrowType.Int(32, true)));
    Frames batch =
        Crafted.rows(2).node(2, 0).none().ints(0, 2, 3).node(3, 0).none().ints(1, 0, 0).batch();
    assertEquals(
        List.of(List.of(List.of("b", "a"), List.of("a"))), Decoded.values(list, AB, batch));
  }
}
