package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableSettingsTest {
  @Test
  void aPlainTableHasDefaults() {
    assertEquals(
        new TableSettings(1, Duration.ofSeconds(5), 500, Duration.ofDays(1), false),
        TableSettings.parse(Map.of("owner", "x", "write.format.default", "parquet")));
  }

  @Test
  void readsWhatIsSet() {
    assertEquals(
        new TableSettings(99, Duration.ofMillis(250), 20, Duration.ofHours(6), true),
        TableSettings.parse(
            Map.of(
                "wings.wal.lanes", "99",
                "wings.commit-interval", "250ms",
                "wings.max-snapshots", "20",
                "wings.wal.retention", "6h",
                "wings.schema.evolution", "add-columns",
                "wings.watermark.0", "computed")));
  }

  @ParameterizedTest
  @CsvSource({
    "wings.wal.lanes, 0, table-setting-invalid",
    "wings.wal.lanes, 100, table-setting-invalid",
    "wings.wal.lanes, x, table-setting-invalid",
    "wings.commit-interval, 5, table-setting-invalid",
    "wings.commit-interval, 1ms, table-setting-invalid",
    "wings.commit-interval, 2h, table-setting-invalid",
    "wings.max-snapshots, 1, table-setting-invalid",
    "wings.wal.retention, 0, table-setting-invalid",
    "wings.wal.retention, 1500ms, table-setting-invalid",
    "wings.schema.evolution, loose, table-setting-invalid",
    "wings.entity.version, v, table-setting-unsupported",
    "wings.watermarks.0, x, table-setting-unknown",
    "wings.anything, x, table-setting-unknown",
  })
  void refusesBeforeGuessing(String key, String value, String code) {
    WingsException error =
        assertThrows(WingsException.class, () -> TableSettings.parse(Map.of(key, value)));
    assertEquals(code, error.code());
    assertTrue(String.valueOf(error.getMessage()).contains(key));
  }

  /** Trap 25. */
  @Test
  void suggestsWhatWasMeant() {
    WingsException error =
        assertThrows(
            WingsException.class, () -> TableSettings.parse(Map.of("wings.wal.lane", "1")));
    assertTrue(String.valueOf(error.getMessage()).contains("wings.wal.lanes"));
  }
}
