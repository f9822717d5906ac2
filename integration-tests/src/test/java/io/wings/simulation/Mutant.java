package io.wings.simulation;

import java.util.List;

/**
 * Production with exactly one guard taken out. The simulation must tell each from production: a
 * guard whose mutant survives is not tested.
 *
 * @param traps of the design that the guard is against; {@code P6} and the like are promises
 * @param guard what production does and the mutant doesn't
 * @param shows what the checkers see
 * @param workload in which it shows
 * @param seed with which it shows, as of the last look
 */
record Mutant(
    String name,
    String traps,
    String guard,
    String shows,
    Workload workload,
    long seed,
    Change change) {
  /** What makes it different from production. */
  sealed interface Change {
    /** Production's own code, given something else. */
    record Miswired(Miswiring what) implements Change {}

    /** Production's code without some of its text. */
    record Rewritten(List<Edit> edits) implements Change {}
  }

  /**
   * A change to a source file.
   *
   * @param file relative to the checkout
   * @param from what stands in it exactly once
   * @param to what stands there instead
   */
  record Edit(String file, String from, String to) {}

  /** A row of the table of mutants in {@code docs/simulation.md}. */
  String row() {
    return "| %s | %s | `%s` | %s %d | %s |".formatted(traps, guard, name, workload, seed, shows);
  }

  @Override
  public String toString() {
    return name;
  }
}
