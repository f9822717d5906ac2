package io.wings.common.grant;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.wings.common.log.LogLines;
import io.wings.common.time.SteppedTime;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("it listens to a log")
class RefusalsTest {
  private final LogLines log = LogLines.of(Refusals.class);
  private final SteppedTime clock = new SteppedTime();
  private final Refusals refusals = new Refusals(clock);

  @AfterEach
  void stop() {
    log.close();
  }

  private void refuse(String address, int port) {
    refusals.note(new InetSocketAddress(address, port), "unauthenticated: the token is not known");
  }

  @Test
  void anAddressIsToldOfOnceAMinuteAndOthersBeside() throws InterruptedException {
    refuse("10.0.0.1", 1000);
    for (int second = 1; second < 60; second++) {
      clock.sleep(Duration.ofSeconds(1));
      refuse("10.0.0.1", 1000 + second);
    }
    refuse("10.0.0.2", 1);
    clock.sleep(Duration.ofSeconds(1));
    refuse("10.0.0.1", 1);
    String said = " was not let in: unauthenticated: the token is not known";
    assertEquals(
        List.of(
            "a caller at 10.0.0.1" + said,
            "a caller at 10.0.0.2" + said + ", and 59 others since the last such line",
            "a caller at 10.0.0.1" + said),
        log.texts());
  }

  @Test
  void manyAddressesFillNoLog() throws InterruptedException {
    for (int i = 0; i < 5_000; i++) {
      refuse("10.1." + i / 250 + "." + i % 250, 1);
    }
    assertEquals(1, log.texts().size());
    clock.sleep(Refusals.BETWEEN_LINES);
    refuse("10.2.0.1", 1);
    assertEquals(2, log.texts().size());
  }
}
