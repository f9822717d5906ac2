package io.wings.simulation.kernel;

import java.security.Provider;
import java.security.SecureRandom;
import java.security.SecureRandomParameters;
import java.security.SecureRandomSpi;
import java.security.Security;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Randomness for what libraries draw themselves ({@code UUID.randomUUID} in Iceberg): inside a run,
 * the run's generator of ids; outside, any. Must be installed before the first such draw of the
 * JVM.
 */
public final class SeededSecureRandom extends SecureRandomSpi {
  private static final long serialVersionUID = 1L;

  private static final Random OUTSIDE = new Random();

  /** For the security framework. */
  public SeededSecureRandom(@Nullable SecureRandomParameters parameters) {}

  /** The provider that is asked first. */
  private static final class SeededProvider extends Provider {
    private static final long serialVersionUID = 1L;

    SeededProvider() {
      super("WingsSimulation", "1", "seeded randomness for simulated threads");
      put("SecureRandom.Seeded", SeededSecureRandom.class.getName());
      put("SecureRandom.Seeded ThreadSafe", "true");
    }
  }

  /**
   * Makes this the JVM's source of secure randomness.
   *
   * @throws IllegalStateException when something has drawn from another source already
   */
  public static void install() {
    if (Security.getProvider("WingsSimulation") == null) {
      int _ = Security.insertProviderAt(new SeededProvider(), 1);
    }
    if (!new SecureRandom().getAlgorithm().equals("Seeded")) {
      throw new IllegalStateException("secure randomness is not the simulation's");
    }
  }

  @Override
  protected void engineSetSeed(byte[] seed) {}

  @Override
  protected void engineNextBytes(byte[] bytes) {
    Scheduler.SimulatedThread me = Scheduler.current();
    if (me == null) {
      OUTSIDE.nextBytes(bytes);
    } else {
      me.scheduler.libraryNames().nextBytes(bytes);
    }
  }

  @Override
  protected byte[] engineGenerateSeed(int count) {
    byte[] bytes = new byte[count];
    engineNextBytes(bytes);
    return bytes;
  }
}
