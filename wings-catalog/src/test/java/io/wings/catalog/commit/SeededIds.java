package io.wings.catalog.commit;

import io.wings.common.id.Ids;
import java.util.Random;
import java.util.UUID;

/** Ids of one seed. */
public final class SeededIds implements Ids {
  private final Random random;

  public SeededIds(long seed) {
    this.random = new Random(seed);
  }

  @Override
  public UUID uuid() {
    byte[] bytes = new byte[16];
    random.nextBytes(bytes);
    return UUID.nameUUIDFromBytes(bytes);
  }

  @Override
  public double fraction() {
    return random.nextDouble();
  }
}
