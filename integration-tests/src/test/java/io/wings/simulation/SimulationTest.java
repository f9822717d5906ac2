package io.wings.simulation;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.wings.simulation.kernel.SeededSecureRandom;
import io.wings.simulation.kernel.Tally;
import io.wings.simulation.kernel.Trace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongFunction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A share of the seeds; {@code ./wings simulate} plays as many as one likes. */
@Tag("simulation")
final class SimulationTest {
  private static final long SEEDS = 12;

  /** So many seeds from a mutant's own on are tried before it counts as surviving. */
  private static final long SEEDS_OF_A_MUTANT = 150;

  /** What production has passed already, as workload and seed. */
  private static final Set<String> PASSED = new HashSet<>();

  /** Faults that have to occur somewhere among the seeds, or they test nothing. */
  private static final List<String> FAULTS =
      List.of(
          "put request lost",
          "put reply lost",
          "put lands later",
          "put 409",
          "put throttled",
          "get reply lost",
          "message lost",
          "message duplicated",
          "message delayed",
          "message cut",
          "stream broken",
          "process killed",
          "process drained",
          "poison read",
          "process paused",
          "process taken for dead",
          "clock jumped",
          "commit reply lost",
          "commit reposted");

  @BeforeAll
  static void seedWhatLibrariesDraw() {
    SeededSecureRandom.install();
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
  }

  private static Run.Outcome play(Workload workload, long seed, Wiring wiring) {
    return Run.of(workload.scenario(seed), wiring, Trace.hashed());
  }

  private static Run.Outcome play(long seed, Wiring wiring) {
    return play(Workload.DEFAULT, seed, wiring);
  }

  @Test
  void noSeedBreaksAPromise() {
    Tally faults = new Tally();
    for (long seed = 1; seed <= SEEDS; seed++) {
      Run.Outcome outcome = play(seed, Wiring.PRODUCTION);
      assertEquals(List.of(), outcome.violations(), "./wings simulate --seeds " + seed);
      PASSED.add(Workload.DEFAULT + " " + seed);
      faults.addAll(outcome.faults());
    }
    for (String fault : FAULTS) {
      assertTrue(faults.of(fault) > 0, fault);
    }
  }

  @Test
  void oneSeedIsOneRun() {
    long hash = play(3, Wiring.PRODUCTION).hash();
    assertEquals(hash, play(3, Wiring.PRODUCTION).hash());
    assertNotEquals(hash, play(4, Wiring.PRODUCTION).hash());
  }

  /** Seeds that once found a fault. */
  @ParameterizedTest
  @MethodSource("pinned")
  void noPinnedSeedFindsAFault(Pinned pinned) {
    requirePassed(pinned.workload, pinned.seed);
  }

  /**
   * A line of {@code seeds.txt}.
   *
   * @param found what it was
   */
  record Pinned(Workload workload, long seed, String found) {
    static Pinned of(String line) {
      String[] parts = line.split(" +", 3);
      return new Pinned(
          Workload.valueOf(parts[0].toUpperCase(Locale.ROOT)), Long.parseLong(parts[1]), parts[2]);
    }
  }

  static List<Pinned> pinned() throws IOException {
    try (InputStream in = requireNonNull(SimulationTest.class.getResourceAsStream("seeds.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(Pinned::of)
          .toList();
    }
  }

  /** What production looks like without one of its guards; the mutants name their traps. */
  @Tag("mutants")
  @ParameterizedTest
  @MethodSource("mutants")
  void tellsAMutantFromProduction(Mutant mutant) {
    Mutant.Teller.Seed first = (Mutant.Teller.Seed) mutant.teller();
    LongFunction<List<?>> violations = violations(mutant, first.workload());
    for (long seed = first.seed(); seed < first.seed() + SEEDS_OF_A_MUTANT; seed++) {
      if (!violations.apply(seed).isEmpty()) {
        requirePassed(first.workload(), seed);
        return;
      }
    }
    fail(
        "no seed from %d up tells it from production: ./wings simulate --mutant %s --until-failure"
            .formatted(first.seed(), mutant));
  }

  static List<Mutant> mutants() {
    return Mutants.played();
  }

  private static LongFunction<List<?>> violations(Mutant mutant, Workload workload) {
    return switch (mutant.change()) {
      case Mutant.Change.Miswired(Miswiring what) ->
          seed -> play(workload, seed, what.wiring()).violations();
      case Mutant.Change.Rewritten(List<Mutant.Edit> edits) -> {
        var play = new MutantLoader(edits).play();
        yield seed ->
            (List<?>) requireNonNull(play.apply(workload.toString(), seed).get("violations"));
      }
    };
  }

  private static void requirePassed(Workload workload, long seed) {
    if (PASSED.add(workload + " " + seed)) {
      assertEquals(
          List.of(),
          play(workload, seed, Wiring.PRODUCTION).violations(),
          "./wings simulate --workload %s --seeds %d".formatted(workload, seed));
    }
  }

  @Test
  void theDocumentationTellsOfEveryMutant() throws IOException {
    String document =
        Files.readString(MutantLoader.checkout().resolve("docs").resolve("simulation.md"));
    for (Mutant mutant : Mutants.all()) {
      assertTrue(document.contains(mutant.row()), () -> "docs/simulation.md lacks " + mutant.row());
    }
  }

  /**
   * Whoever changes a guard is told of its mutant by the tests, before {@code .ci/run} plays it.
   */
  @Test
  void whatMutantsTakeOutIsThere() {
    for (Mutant mutant : Mutants.all()) {
      if (mutant.change() instanceof Mutant.Change.Rewritten(List<Mutant.Edit> edits)) {
        assertDoesNotThrow(() -> MutantLoader.edited(edits), mutant::name);
      }
    }
  }

  /** A mutant that changes nothing is production, seed for seed. */
  @Test
  void oneSeedIsOneRunInEveryClassLoader() {
    assertEquals(
        "%016x".formatted(play(Workload.DEFAULT, 3, Wiring.PRODUCTION).hash()),
        new MutantLoader(List.of()).play().apply("default", 3L).get("hash"));
  }
}
