package io.wings.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.simulation.Mutant.Teller;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Guards that the simulation can't try: each is taken out of production, and a test, of whichever
 * module, must fail for it. {@code -Dwings.mutant=NAME} tries one.
 */
@Tag("mutants")
final class TestedMutantsTest {
  private static final @Nullable String ONE = System.getProperty("wings.mutant");

  /** Tests that production has passed already. */
  private static final Set<Teller> PASSED = new HashSet<>();

  /** Production, by the module whose tests are beside it. */
  private static final Map<String, MutantLoader> PRODUCTION = new HashMap<>();

  @ParameterizedTest
  @MethodSource("mutants")
  void aTestTellsAMutantFromProduction(Mutant mutant) {
    long begun = System.nanoTime();
    Teller.Failing test = (Teller.Failing) mutant.teller();
    requirePassed(test);
    TestRun run = TestRun.of(test, TestRun.loader(test.module(), edits(mutant)));
    assertFalse(run.failures().isEmpty(), () -> "survives: " + test + " passes all the same");
    // Others would be an accident of the class loader's, or of the test's.
    for (TestRun.Failure failure : run.failures()) {
      assertTrue(failure.isA(test.failure()), failure::toString);
    }
    System.out.printf(
        "mutant %s: after %d ms %s%n",
        mutant, (System.nanoTime() - begun) / 1_000_000, run.failures().getFirst());
  }

  static List<Mutant> mutants() {
    return Mutants.tested().stream()
        .filter(mutant -> ONE == null || ONE.equals(mutant.name()))
        .toList();
  }

  private static List<Mutant.Edit> edits(Mutant mutant) {
    return switch (mutant.change()) {
      case Mutant.Change.Rewritten(List<Mutant.Edit> edits) -> edits;
      case Mutant.Change.Miswired _ ->
          throw new IllegalStateException(mutant + ": tests have their own wiring");
    };
  }

  /** In the same kind of class loader, without edits. */
  private static void requirePassed(Teller.Failing test) {
    if (PASSED.add(test)) {
      MutantLoader production =
          PRODUCTION.computeIfAbsent(test.module(), module -> TestRun.loader(module, List.of()));
      TestRun run = TestRun.of(test, production);
      assertEquals(List.of(), run.failures(), () -> test + " fails without a mutant");
      assertTrue(run.passed() > 0, () -> test + " runs nothing");
    }
  }
}
