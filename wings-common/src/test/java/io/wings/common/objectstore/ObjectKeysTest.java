package io.wings.common.objectstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectKeysTest {
  static String[] tooLong() {
    return new String[] {
      "a".repeat(ObjectKeys.MAX_SEGMENT_LENGTH + 1),
      "b/" + "a".repeat(ObjectKeys.MAX_SEGMENT_LENGTH + 1),
      "ab/".repeat(ObjectKeys.MAX_LENGTH / 3) + "abc"
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "A/b=1/c_d-e.f", "=", "-/_", "catalogs/main/00/1.wal"})
  void takesKeys(String key) {
    assertEquals(key, ObjectKeys.requireKey(key));
    assertEquals(key, ObjectKeys.requirePrefix(key));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a/", "a/b/"})
  void aPrefixMayEndAnywhere(String prefix) {
    assertEquals(prefix, ObjectKeys.requirePrefix(prefix));
    assertThrows(IllegalArgumentException.class, () -> ObjectKeys.requireKey(prefix));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/a", "a//b", ".", "..", "../a", "a/../b", "a/.b", "a b", "a\\b", "é", "a\n"})
  @MethodSource("tooLong")
  void refusesTheRest(String text) {
    assertThrows(IllegalArgumentException.class, () -> ObjectKeys.requireKey(text));
    assertThrows(IllegalArgumentException.class, () -> ObjectKeys.requirePrefix(text));
  }
}
