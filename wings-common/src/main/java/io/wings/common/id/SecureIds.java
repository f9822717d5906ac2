package io.wings.common.id;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

enum SecureIds implements Ids {
  INSTANCE;

  @Override
  public UUID uuid() {
    return UUID.randomUUID();
  }

  @Override
  public double fraction() {
    return ThreadLocalRandom.current().nextDouble();
  }
}
