package io.wings.simulation;

import java.util.Random;

/**
 * What one seed plays on the clients' side: drawn from it by a generator of its own.
 *
 * @param balancers load balancers; none: clients connect to ingestors
 * @param poison so many more clients, each with a batch that kills ingestors
 */
record ClientScenario(int balancers, int poison) {
  static final ClientScenario DIRECT = new ClientScenario(0, 0);

  static ClientScenario of(long seed) {
    Random random = new Random(seed * 0xA0761D6478BD642FL + 43);
    int balancers = random.nextInt(5) == 0 ? 0 : 1 + random.nextInt(2);
    return new ClientScenario(balancers, balancers == 0 ? 0 : Math.max(0, random.nextInt(4) - 1));
  }

  /** Without poison, and half the seeds without a load balancer. */
  static ClientScenario unarmed(long seed) {
    return new ClientScenario(seed % 2 == 0 ? 1 : 0, 0);
  }

  /** Whether clients speak to ingestors, as a load balancer would. */
  boolean direct() {
    return balancers == 0;
  }
}
