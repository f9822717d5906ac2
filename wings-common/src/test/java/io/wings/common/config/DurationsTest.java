package io.wings.common.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.common.error.WingsException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "0,0,0",
    "250ms,250,250ms",
    "1s,1000,1s",
    "90 s,90000,90s",
    "5m,300000,5m",
    "48h,172800000,2d"
  })
  void readsAWholeNumberAndAUnit(String text, long millis, String printed) {
    assertEquals(Duration.ofMillis(millis), Durations.parse(text));
    assertEquals(printed, Durations.format(Durations.parse(text)));
    assertEquals(Duration.ofMillis(millis), Durations.parse(printed));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "5 minutes", "1.5s", "-1s", "PT5S", "1S", "999999999d"})
  void refusesWhatItWouldHaveToGuess(String text) {
    WingsException error = assertThrows(WingsException.class, () -> Durations.parse(text));
    assertEquals("invalid-duration", error.code());
  }
}
