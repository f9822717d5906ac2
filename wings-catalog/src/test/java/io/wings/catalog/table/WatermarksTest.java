package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatermarksTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final UUID TABLE = UUID.fromString("6f1c0b2e-8a54-4d0f-9c3e-0a1b2c3d4e5f");
  private static final String INCARNATION = "00112233445566778899aabbccddeeff";
  private static final Watermarks THREE =
      new Watermarks("c1", MAIN, TABLE, INCARNATION, List.of(7L, 0L, 12L));

  @Test
  void propertiesRoundTrip() {
    assertEquals(
        Map.of(
            "wings.watermark.0", "c1/main/" + TABLE + "/" + INCARNATION + "/7",
            "wings.watermark.1", "c1/main/" + TABLE + "/" + INCARNATION + "/0",
            "wings.watermark.2", "c1/main/" + TABLE + "/" + INCARNATION + "/12"),
        THREE.toProperties());
    assertEquals(
        new Watermarks.Reading.Own(THREE),
        Watermarks.read(THREE.toProperties(), "c1", MAIN, TABLE));
  }

  @Test
  void tellsWhoseTheyAre() {
    assertInstanceOf(
        Watermarks.Reading.Absent.class, Watermarks.read(Map.of("a", "b"), "c1", MAIN, TABLE));
    assertInstanceOf(
        Watermarks.Reading.Foreign.class, Watermarks.read(THREE.toProperties(), "c2", MAIN, TABLE));
    assertInstanceOf(
        Watermarks.Reading.Copied.class,
        Watermarks.read(
            THREE.toProperties(),
            "c1",
            MAIN,
            UUID.fromString("00000000-0000-4000-8000-000000000000")));
  }

  /** Two names that lead to one table have a log each; the table counts one. */
  @Test
  void anotherCatalogOfTheClusterIsForeign() {
    assertInstanceOf(
        Watermarks.Reading.Foreign.class,
        Watermarks.read(THREE.toProperties(), "c1", new CatalogName("c"), TABLE));
  }

  /** Decision 8: as an older version adopted it, and as it stays until it is adopted anew. */
  @Test
  void withoutACatalogTheyAreOfAny() {
    Map<String, String> properties =
        Map.of("wings.watermark.0", "c1/" + TABLE + "/" + INCARNATION + "/7");
    Watermarks older = new Watermarks("c1", null, TABLE, INCARNATION, List.of(7L));
    assertEquals(new Watermarks.Reading.Own(older), Watermarks.read(properties, "c1", MAIN, TABLE));
    assertEquals(
        Map.of("wings.watermark.0", "c1/" + TABLE + "/" + INCARNATION + "/9"),
        older.raise(0, 9).toProperties());
  }

  @Test
  void lanesOfTwoCatalogsAreAnError() {
    Map<String, String> properties =
        Map.of(
            "wings.watermark.0", "c1/main/" + TABLE + "/" + INCARNATION + "/7",
            "wings.watermark.1", "c1/" + TABLE + "/" + INCARNATION + "/7");
    assertEquals(
        "watermark-invalid",
        assertThrows(WingsException.class, () -> Watermarks.read(properties, "c1", MAIN, TABLE))
            .code());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "7",
        "c1/6f1c0b2e-8a54-4d0f-9c3e-0a1b2c3d4e5f/00112233445566778899aabbccddeeff/",
        "c1/6f1c0b2e-8a54-4d0f-9c3e-0a1b2c3d4e5f/00112233445566778899aabbccddeeff/-1",
        "c1/6f1c0b2e-8a54-4d0f-9c3e-0a1b2c3d4e5f/00112233445566778899aabbccddeeff/007",
        "c1/6F1C0B2E-8A54-4D0F-9C3E-0A1B2C3D4E5F/00112233445566778899aabbccddeeff/7",
        "c1/1-1-1-1-1/00112233445566778899aabbccddeeff/7",
        "c1/6f1c0b2e-8a54-4d0f-9c3e-0a1b2c3d4e5f/../7",
        "c1//6f1c0b2e-8a54-4d0f-9c3e-0a1b2c3d4e5f/00112233445566778899aabbccddeeff/7",
        "c1/Main/6f1c0b2e-8a54-4d0f-9c3e-0a1b2c3d4e5f/00112233445566778899aabbccddeeff/7",
        "c1/main/x/6f1c0b2e-8a54-4d0f-9c3e-0a1b2c3d4e5f/00112233445566778899aabbccddeeff/7",
      })
  void aValueThatCantBeReadIsNeverZero(String value) {
    WingsException error =
        assertThrows(
            WingsException.class,
            () -> Watermarks.read(Map.of("wings.watermark.0", value), "c1", MAIN, TABLE));
    assertEquals("watermark-invalid", error.code());
  }

  @Test
  void aMissingLaneIsAnError() {
    Map<String, String> properties =
        Map.of("wings.watermark.1", "c1/" + TABLE + "/" + INCARNATION + "/7");
    assertEquals(
        "watermark-invalid",
        assertThrows(WingsException.class, () -> Watermarks.read(properties, "c1", MAIN, TABLE))
            .code());
  }

  @Test
  void lanesOfTwoIncarnationsAreAnError() {
    Map<String, String> properties =
        Map.of(
            "wings.watermark.0", "c1/" + TABLE + "/" + INCARNATION + "/7",
            "wings.watermark.1", "c1/" + TABLE + "/" + "f".repeat(32) + "/7");
    assertEquals(
        "watermark-invalid",
        assertThrows(WingsException.class, () -> Watermarks.read(properties, "c1", MAIN, TABLE))
            .code());
  }

  @ParameterizedTest
  @ValueSource(strings = {"wings.watermark.x", "wings.watermark.00", "wings.watermark.99"})
  void aKeyThatIsNoLaneIsAnError(String key) {
    assertEquals(
        "watermark-invalid",
        assertThrows(
                WingsException.class, () -> Watermarks.read(Map.of(key, "x"), "c1", MAIN, TABLE))
            .code());
  }

  @Test
  void onlyGrow() {
    assertEquals(List.of(7L, 3L, 12L), THREE.raise(1, 3).numbers());
    assertThrows(IllegalArgumentException.class, () -> THREE.raise(2, 11));
  }
}
