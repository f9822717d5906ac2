package io.wings.simulation.kernel;

import java.time.Duration;
import java.util.Random;

/**
 * How a store behaves: the chance of each fault at a call. A request that is lost, answered late or
 * not at all looks the same to its caller: <em>unknown</em>.
 *
 * @param requestLost the call takes no effect
 * @param replyLost it takes effect, and nobody hears of it
 * @param landsLater a put takes effect long after its caller gave up
 * @param throttled 503, no effect
 * @param conflict a conditional put is answered 409, whose effect can't be known
 */
public record StoreWeather(
    double requestLost, double replyLost, double landsLater, double throttled, double conflict) {
  /** Nothing goes wrong. */
  public static final StoreWeather CALM = new StoreWeather(0, 0, 0, 0, 0);

  /** How long after its call a put may land. */
  static final Duration LATEST_LANDING = Duration.ofSeconds(90);

  /** Each fault with a chance of up to {@code most}. */
  public static StoreWeather draw(Random random, double most) {
    return new StoreWeather(
        chance(random, most),
        chance(random, most),
        chance(random, most),
        chance(random, most),
        chance(random, most));
  }

  private static double chance(Random random, double most) {
    return random.nextInt(4) == 0 ? 0 : random.nextDouble() * most;
  }
}
