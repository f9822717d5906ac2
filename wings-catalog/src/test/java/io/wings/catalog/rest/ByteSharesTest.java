package io.wings.catalog.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class ByteSharesTest {
  private final ByteShares shares = new ByteShares(8);
  private final InetAddress first = address(1);
  private final InetAddress second = address(2);

  private static InetAddress address(int last) {
    try {
      return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void onePeerLeavesRoomForOthers() {
    assertThat(shares.tryTake(first, 4)).isTrue();
    assertThat(shares.tryTake(first, 1)).isFalse();
    assertThat(shares.tryTake(second, 4)).isTrue();
    assertThat(shares.tryTake(address(3), 1)).isFalse();
    shares.give(first, 3);
    assertThat(shares.tryTake(address(3), 3)).isTrue();
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
    assertThat(ByteShares.chunks(0)).isEqualTo(1);
    assertThat(ByteShares.chunks(64 * 1024)).isEqualTo(1);
    assertThat(ByteShares.chunks(64 * 1024 + 1)).isEqualTo(2);
  }
}
