package io.wings.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.wings.simulation.kernel.SeededSecureRandom;
import io.wings.simulation.kernel.Tally;
import io.wings.simulation.kernel.Trace;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** A share of the seeds; {@code ./wings simulate} plays as many as one likes. */
final class SimulationTest {
  private static final long SEEDS = 40;

  /** Among these is one that shows what a mutant lacks; production passes all that it passes. */
  private static final long SEEDS_OF_A_MUTANT = 150;

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
          "process paused",
          "process taken for dead",
          "clock jumped",
          "commit reply lost",
          "commit reposted");

  @BeforeAll
  static void seedWhatLibrariesDraw() {
    SeededSecureRandom.install();
    ((Logger) LoggerFactory.getLogger("io.wings")).setLevel(Level.OFF);
  }

  private static Run.Outcome play(long seed, Wiring wiring) {
    return Run.of(Workload.DEFAULT.scenario(seed), wiring, Trace.hashed());
  }

  @Test
  void noSeedBreaksAPromise() {
    Tally faults = new Tally();
    for (long seed = 1; seed <= SEEDS; seed++) {
      Run.Outcome outcome = play(seed, Wiring.PRODUCTION);
      assertEquals(List.of(), outcome.violations(), "./wings simulate --seeds " + seed);
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

  /** Traps 2, 6, 7, 9, 14, 29: what production looks like without the guard against it. */
  @ParameterizedTest
  @EnumSource(Mutant.class)
  void tellsAMutantFromProduction(Mutant mutant) {
    for (long seed = 1; seed <= SEEDS_OF_A_MUTANT; seed++) {
      if (!play(seed, mutant.wiring()).violations().isEmpty()) {
        return;
      }
    }
    fail("no seed up to " + SEEDS_OF_A_MUTANT + " tells " + mutant + " from production");
  }
}
