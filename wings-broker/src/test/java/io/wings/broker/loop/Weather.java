package io.wings.broker.loop;

import java.time.Duration;

/**
 * How a simulated store behaves. Chances are from 0 to 1.
 *
 * @param latency of a call, up to
 * @param spikes chance of a call that takes up to {@code spike}
 * @param lost chance of a put that never arrives, unknown to the caller; of a read that fails
 * @param lostReply chance of a put that lands and is unknown to the caller
 * @param late chance of a put that is unknown and lands later, within {@code spike}
 * @param refused chance of a put that the store definitely refuses
 */
record Weather(
    Duration latency,
    double spikes,
    Duration spike,
    double lost,
    double lostReply,
    double late,
    double refused) {
  static final Weather FAIR =
      new Weather(Duration.ofMillis(100), 0, Duration.ofMillis(100), 0, 0, 0, 0);
  static final Weather ROUGH =
      new Weather(Duration.ofMillis(150), 0.03, Duration.ofSeconds(5), 0.05, 0.05, 0.05, 0.05);
}
