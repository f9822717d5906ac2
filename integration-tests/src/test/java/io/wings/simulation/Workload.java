package io.wings.simulation;

/** What may be played. */
enum Workload {
  /** Everything at once; every eighth seed without faults. */
  DEFAULT,
  /** Ingestors that sleep while the log goes on and is pruned. */
  SLEEPY,
  /** Lanes that forget producers. */
  FORGETFUL,
  /** Tasks that fail, kill their workers, or are of a later version; a table that is broken. */
  ODD,
  /** Connections that break again and again while everybody lives. */
  TORN,
  /** Ingestors that never reach a broker, and brokers that sleep. */
  UNHEARD,
  /** Workers that fall asleep in the midst of a pass; removal and prune go on. */
  DROWSY,
  /** Brokers that sleep, and whose clocks jump. */
  SKEWED;

  Scenario scenario(long seed) {
    return switch (this) {
      case DEFAULT -> Scenario.of(seed);
      case SLEEPY -> Scenario.sleepy(seed);
      case FORGETFUL -> Scenario.forgetful(seed);
      case ODD -> Scenario.odd(seed);
      case TORN -> Scenario.torn(seed);
      case UNHEARD -> Scenario.unheard(seed);
      case DROWSY -> Scenario.drowsy(seed);
      case SKEWED -> Scenario.skewed(seed);
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
