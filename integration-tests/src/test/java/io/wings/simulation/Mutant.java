package io.wings.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Production with exactly one guard taken out. The simulation, or a test, must tell each from
 * production: a guard whose mutant survives is not tested.
 *
 * @param traps of the design that the guard is against; {@code P6} and the like are promises
 * @param guard what production does and the mutant doesn't
 * @param teller what tells it from production
 */
record Mutant(String name, String traps, String guard, Teller teller, Change change) {
  /** What tells a mutant from production. */
  sealed interface Teller {
    /**
     * The simulation.
     *
     * @param workload in which it shows
     * @param seed with which it shows, as of the last look
     * @param shows what the checkers see
     */
    record Seed(Workload workload, long seed, String shows) implements Teller {}

    /**
     * A test that fails.
     *
     * @param module whose test it is
     * @param className with its package
     * @param method null for all of the class
     * @param failure simple name of what the test fails with, or of a class above it
     */
    record Failing(String module, String className, @Nullable String method, String failure)
        implements Teller {
      @Override
      public String toString() {
        String simple = className.substring(className.lastIndexOf('.') + 1);
        return method == null ? simple : simple + "." + method;
      }
    }
  }

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

  /** A row of its table in {@code docs/simulation.md}. */
  String row() {
    return switch (teller) {
      case Teller.Seed(Workload workload, long seed, String shows) ->
          "| %s | %s | `%s` | %s %d | %s |".formatted(traps, guard, name, workload, seed, shows);
      case Teller.Failing test -> "| %s | %s | `%s` | `%s` |".formatted(traps, guard, name, test);
    };
  }

  @Override
  public String toString() {
    return name;
  }
}
