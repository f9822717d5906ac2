package io.wings.simulation.kernel;

import java.time.Duration;
import java.util.Random;

/**
 * How the network behaves: the chance of each fault for one message.
 *
 * @param lost a message never arrives
 * @param duplicated it arrives twice
 * @param delayed it arrives much later, after others that were sent after it
 * @param maxDelay how much later
 */
public record NetworkWeather(double lost, double duplicated, double delayed, Duration maxDelay) {
  public static final NetworkWeather CALM = new NetworkWeather(0, 0, 0, Duration.ZERO);

  /** Of the packets of a connection so many break it, and four times as many messages are lost. */
  public static NetworkWeather breaking(double connections) {
    return new NetworkWeather(4 * connections, 0, 0, Duration.ZERO);
  }

  /** Each fault with a chance of up to {@code most}. */
  public static NetworkWeather draw(Random random, double most) {
    return new NetworkWeather(
        random.nextDouble() * most,
        random.nextDouble() * most,
        random.nextDouble() * most,
        Duration.ofMillis(100L + random.nextInt(20_000)));
  }
}
