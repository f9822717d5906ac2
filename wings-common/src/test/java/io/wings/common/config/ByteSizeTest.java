package io.wings.common.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.common.error.WingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "0B,0",
    "512B,512",
    "1KiB,1024",
    "64MiB,67108864",
    "2 GiB,2147483648",
    "8388607TiB,9223370937343148032"
  })
  void readsAWholeNumberAndAUnit(String text, long bytes) {
    assertEquals(bytes, ByteSize.parse(text).bytes());
    assertEquals(new ByteSize(bytes), ByteSize.parse(ByteSize.parse(text).toString()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "64", "64MB", "64mib", "1.5GiB", "-1B", "MiB", "8388608TiB", "9e3B", "١B"})
  void refusesWhatItWouldHaveToGuess(String text) {
    WingsException error = assertThrows(WingsException.class, () -> ByteSize.parse(text));
    assertEquals("invalid-byte-size", error.code());
  }

  @Test
  void printsTheLargestUnitThatDividesIt() {
    assertEquals("0B", ByteSize.ZERO.toString());
    assertEquals("1025B", new ByteSize(1025).toString());
    assertEquals("64MiB", ByteSize.ofMebibytes(64).toString());
    assertEquals("1GiB", ByteSize.ofKibibytes(1 << 20).toString());
  }
}
