package io.wings.simulation.kernel;

import com.github.luben.zstd.util.Native;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.SecureRandomParameters;
import java.security.SecureRandomSpi;
import java.security.Security;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

/**
 * Randomness for what libraries draw themselves ({@code UUID.randomUUID} in Iceberg): inside a run,
 * the run's generator of ids; outside, any. Must be installed before the first such draw of the
 * JVM.
 *
 * <p>There is one of it in a JVM, whichever class loader a run is in: it knows of a run only its
 * generator.
 */
public final class SeededSecureRandom extends SecureRandomSpi {
  private static final long serialVersionUID = 1L;

  private static final Random OUTSIDE = new Random();

  /** What the calling thread draws from. */
  private static final ScopedValue<Random> INSIDE = ScopedValue.newInstance();

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
    unpackNativeCode();
  }

  /**
   * Libraries unpack their native code under names that they draw: drawn inside of a run they would
   * be those of another JVM that plays the same seed, and each would overwrite what the other runs.
   */
  private static void unpackNativeCode() {
    try {
      boolean _ = Snappy.isValidCompressedBuffer(new byte[0], 0, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Native.load();
  }

  /** Runs {@code task}; what it draws comes from {@code random}. */
  public static void drawFrom(Random random, Runnable task) {
    ScopedValue.where(INSIDE, random).run(task);
  }

  @Override
  protected void engineSetSeed(byte[] seed) {}

  @Override
  protected void engineNextBytes(byte[] bytes) {
    INSIDE.orElse(OUTSIDE).nextBytes(bytes);
  }

  @Override
  protected byte[] engineGenerateSeed(int count) {
    byte[] bytes = new byte[count];
    engineNextBytes(bytes);
    return bytes;
  }
}
