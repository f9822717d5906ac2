package io.wings.simulation;

/** What may be played. */
enum Workload {
  /** Everything at once; every eighth seed without faults. */
  DEFAULT;

  Scenario scenario(long seed) {
    return switch (this) {
      case DEFAULT -> Scenario.of(seed);
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
