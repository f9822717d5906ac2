package io.wings.catalog.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharesTest {
  private final Shares shares = new Shares(8, 4);
  private final String first = "first";
  private final String second = "second";

  @Test
  void onePayerLeavesRoomForOthers() {
    assertThat(shares.tryTake(first, 4)).isTrue();
    assertThat(shares.tryTake(first, 1)).isFalse();
    assertThat(shares.tryTake(second, 4)).isTrue();
    assertThat(shares.tryTake("third", 1)).isFalse();
    shares.give(first, 3);
    assertThat(shares.tryTake("third", 3)).isTrue();
    assertThat(shares.tryTake(first, 1)).isFalse();
  }

  @Test
  void countsBeginAnewOnceAllIsGivenBack() {
    for (int round = 0; round < 100; round++) {
      assertThat(shares.tryTake(first, 4)).isTrue();
      shares.give(first, 1);
      shares.give(first, 3);
    }
    assertThat(shares.tryTake(second, 4)).isTrue();
  }

  @Test
  void bytesAreRoundedUp() {
    assertThat(RequestBodies.chunks(0)).isEqualTo(1);
    assertThat(RequestBodies.chunks(64 * 1024)).isEqualTo(1);
    assertThat(RequestBodies.chunks(64 * 1024 + 1)).isEqualTo(2);
  }
}
