package io.wings.common.id;

import java.util.Random;
import java.util.UUID;

/** Ids of a seeded generator: one seed, one sequence. */
public final class SeededIds implements Ids {
  private final Random random;

  public SeededIds(long seed) {
    this.random = new Random(seed);
  }

  @Override
  public synchronized UUID uuid() {
    byte[] bytes = new byte[16];
    random.nextBytes(bytes);
    return UUID.nameUUIDFromBytes(bytes);
  }

  @Override
  public synchronized double fraction() {
    return random.nextDouble();
  }
}
