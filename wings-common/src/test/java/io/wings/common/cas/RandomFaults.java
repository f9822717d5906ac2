package io.wings.common.cas;

import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.StoreException;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Faults of a seeded generator, and an adversary who acts on the store between the calls of the one
 * under test; so one thread plays a race, and one seed is one run.
 */
final class RandomFaults implements Faults {
  private final Random random;
  private final Runnable adversary;
  private boolean healed;

  RandomFaults(Random random, Runnable adversary) {
    this.random = random;
    this.adversary = adversary;
  }

  /** Nothing goes wrong any more. */
  void heal() {
    healed = true;
  }

  @Override
  public Fault onPut(String key, PutCondition condition) {
    if (healed) {
      return new Fault.None();
    }
    act();
    return switch (random.nextInt(10)) {
      case 0, 1 -> new Fault.FailBefore();
      case 2, 3 -> new Fault.FailAfter();
      case 4, 5 -> new Fault.LandsLater(1 + random.nextInt(6));
      case 6 -> new Fault.Throttled();
      case 7 -> random.nextInt(3) == 0 ? new Fault.NoSpace() : new Fault.None();
      default -> new Fault.None();
    };
  }

  @Override
  public Fault onOther(String key) {
    if (healed) {
      return new Fault.None();
    }
    act();
    return random.nextInt(6) == 0 ? new Fault.FailBefore() : new Fault.None();
  }

  private void act() {
    if (random.nextInt(3) == 0) {
      adversary.run();
    }
  }

  /** Repeats {@code work} while the store definitely refuses: nothing was written then. */
  static <T> T whileRefused(Supplier<T> work) {
    while (true) {
      try {
        return work.get();
      } catch (StoreException e) {
        if (!e.retryable()) {
          throw e;
        }
      }
    }
  }
}
