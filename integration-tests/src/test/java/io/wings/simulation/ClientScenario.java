package io.wings.simulation;

import java.util.Random;

/**
 * What one seed plays on the clients' side: drawn from it by a generator of its own.
 *
 * @param balancers load balancers; none: clients connect to ingestors
 * @param poison one more client, with a batch that kills ingestors
 */
record ClientScenario(int balancers, boolean poison) {
  static final ClientScenario DIRECT = new ClientScenario(0, false);

  static ClientScenario of(long seed) {
    Random random = new Random(seed * 0xA0761D6478BD642FL + 43);
    int balancers = random.nextInt(5) == 0 ? 0 : 1 + random.nextInt(2);
    return new ClientScenario(balancers, random.nextInt(4) == 0 && balancers > 0);
  }

  /** Without poison, and half the seeds without a load balancer. */
  static ClientScenario unarmed(long seed) {
    return new ClientScenario(seed % 2 == 0 ? 1 : 0, false);
  }

  /** Whether clients speak to ingestors, as a load balancer would. */
  boolean direct() {
    return balancers == 0;
  }
}
