package io.wings.simulation;

import io.wings.simulation.kernel.NetworkWeather;
import io.wings.simulation.kernel.StoreWeather;
import java.time.Duration;
import java.util.Random;

/**
 * What one seed plays: drawn from it before anything runs.
 *
 * @param batches that each producer has to bring in
 * @param named producers that have a name; the others are the first that has none
 * @param retention of segments whose rows are in the table
 * @param prefilled segments that every lane has before anyone writes
 * @param trouble how long faults go on
 * @param meanKill mean time between two deaths or pauses of any process
 * @param unreliableCatalog commit replies get lost or re-posted
 * @param table what happens on the table's side
 * @param odd what is out of the ordinary
 */
record Scenario(
    long seed,
    int ingestors,
    int brokers,
    int workers,
    int producers,
    int named,
    int batches,
    int lanes,
    Duration flushInterval,
    Duration commitInterval,
    Duration retention,
    int prefilled,
    Duration trouble,
    Duration meanKill,
    StoreWeather clusterWeather,
    StoreWeather warehouseWeather,
    NetworkWeather networkWeather,
    boolean unreliableCatalog,
    Files files,
    TableScenario table,
    Oddities odd,
    ClientScenario clients) {

  /**
   * Segments of one pass at most: few, so that there are many passes; but one that was long before
   * anything happened takes no time, and one that is to be pruned while somebody sleeps must be
   * through in time. Where workers sleep in passes, these are to be many below a checkpoint.
   */
  int passSegments() {
    boolean quick = prefilled > 0 && !odd.drowsy();
    return quick || odd.naps().isPositive() ? 128 : 8;
  }

  /**
   * Whether no ingestor reaches a broker while there is trouble: only the sweep finds the work, if
   * no client waits for it.
   */
  boolean unheard() {
    return odd.unheard() || (odd.equals(Oddities.NONE) && clients.direct() && seed % 2 == 1);
  }

  /**
   * Tasks of a worker at once. One that sleeps in a pass must not be given others, or these wait
   * until their leases run out.
   */
  int slots() {
    return odd.drowsy() ? 1 : 2;
  }

  /** Whether sweeps come so often that they are worth the time of a run. */
  boolean sweepsOften() {
    return odd.equals(Oddities.NONE) || odd.unheard() || odd.drowsy();
  }

  /** Who writes data files. */
  enum Files {
    AVRO,
    PARQUET,
    /** Production's engine. */
    DUCKDB
  }

  private static Files files(long seed, Random random) {
    Files small = random.nextInt(5) == 0 ? Files.PARQUET : Files.AVRO;
    return seed % 25 == 12 ? Files.DUCKDB : small;
  }

  /** The default workload. */
  static Scenario of(long seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L + 17);
    // Every eighth seed has no faults at all: a violation there is a plain mistake.
    boolean calm = seed % 8 == 0;
    double most = calm ? 0 : 0.02 + 0.10 * random.nextDouble();
    int producers = 3 + random.nextInt(3);
    // Hardly longer than a pass takes, or so long that a checkpoint is there before the time is
    // over.
    long retention = seed % 2 == 0 ? 6 + random.nextInt(24) : 1 + random.nextInt(3);
    return new Scenario(
        seed,
        2 + random.nextInt(2),
        2 + random.nextInt(2),
        2,
        producers,
        1 + random.nextInt(producers),
        20 + random.nextInt(60),
        random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 1,
        Duration.ofMillis(random.nextInt(3) == 0 ? 0 : 50L + random.nextInt(1_000)),
        Duration.ofMillis(500L + random.nextInt(3_000)),
        Duration.ofSeconds(retention),
        random.nextBoolean() ? 225 + random.nextInt(30) : 0,
        Duration.ofSeconds(20L + random.nextInt(60)),
        calm ? Duration.ofDays(1) : Duration.ofMillis(400L + random.nextInt(4_600)),
        StoreWeather.draw(random, most),
        StoreWeather.draw(random, most),
        calm ? NetworkWeather.CALM : NetworkWeather.draw(random, most),
        random.nextInt(4) > 0 && !calm,
        files(seed, random),
        TableScenario.of(seed),
        Oddities.NONE,
        ClientScenario.of(seed));
  }

  /**
   * Ingestors sleep while the others write past a checkpoint and prune goes by: what they know, and
   * what waits in them, is of a log that is gone.
   */
  static Scenario sleepy(long seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L + 23);
    int producers = 6 + random.nextInt(3);
    Scenario usual = of(seed);
    return usual.but(
        4,
        producers,
        random.nextInt(producers + 1),
        30 + random.nextInt(20),
        1,
        Duration.ofSeconds(seed % 4 == 3 ? 60 : 1),
        190 + random.nextInt(50),
        Duration.ofSeconds(250),
        Duration.ofDays(1),
        StoreWeather.draw(random, 0.02),
        usual.networkWeather,
        usual.table.alone(),
        Oddities.naps(
            Duration.ofSeconds(100 + random.nextInt(60)),
            Duration.ofSeconds(20 + 60 * random.nextInt(4))),
        ClientScenario.DIRECT);
  }

  /** The lane remembers so few producers that those without a name make each other forgotten. */
  static Scenario forgetful(long seed) {
    Scenario usual = of(seed);
    return usual.but(
        usual.ingestors,
        5,
        2,
        Math.min(usual.batches, 40),
        usual.lanes,
        usual.retention,
        Math.max(1, usual.prefilled),
        usual.trouble,
        usual.meanKill,
        usual.clusterWeather,
        usual.networkWeather,
        usual.table.alone(),
        Oddities.remembering(2),
        ClientScenario.unarmed(seed));
  }

  /** Few batches, many deaths of workers, and tasks that are not as they should be. */
  static Scenario odd(long seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L + 29);
    Scenario usual = of(seed);
    return usual.but(
        2,
        3,
        2,
        20,
        1,
        Duration.ofSeconds(5),
        0,
        Duration.ofSeconds(220),
        Duration.ofSeconds(20L + random.nextInt(40)),
        StoreWeather.draw(random, 0.01 + 0.04 * random.nextDouble()),
        usual.networkWeather,
        usual.table.alone(),
        Oddities.tasks(Duration.ofSeconds(30)),
        ClientScenario.DIRECT);
  }

  /**
   * Connections break again and again, and every process lives: whatever is sent again is nobody's
   * death.
   */
  static Scenario torn(long seed) {
    Scenario usual = of(seed);
    return usual.but(
        3,
        4,
        2,
        40,
        1,
        usual.retention,
        0,
        Duration.ofSeconds(90),
        Duration.ofDays(1),
        StoreWeather.CALM,
        NetworkWeather.breaking(0.02),
        usual.table.alone(),
        Oddities.NONE,
        new ClientScenario(2, 0));
  }

  /**
   * No ingestor ever reaches a broker, so that only sweeps find work; brokers sleep until they are
   * deposed. Nothing else goes wrong but at the catalog, and it goes on until passes have been
   * tidied up after.
   */
  static Scenario unheard(long seed) {
    Scenario usual = of(seed);
    return usual.but(
        2,
        3,
        1,
        30,
        1,
        usual.retention,
        0,
        Duration.ofSeconds(100),
        Duration.ofDays(1),
        StoreWeather.CALM,
        NetworkWeather.CALM,
        usual.table.alone().tidied(),
        Oddities.unheard(Duration.ofSeconds(12), Duration.ofSeconds(10)),
        ClientScenario.DIRECT);
  }

  /**
   * Workers fall asleep in the midst of a pass, for less than their leases and for longer, while
   * ledgers are closed and worked through after seconds, and segments are pruned once they are in
   * the table. Many passes are of a log that was long before anyone wrote, below a checkpoint.
   */
  static Scenario drowsy(long seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L + 37);
    Scenario usual = of(seed);
    return usual.but(
        2,
        4,
        2,
        40,
        1,
        Duration.ofSeconds(1),
        (seed % 2 == 0 ? 260 : 400) + random.nextInt(80),
        Duration.ofSeconds(200),
        Duration.ofDays(1),
        StoreWeather.draw(random, 0.01),
        NetworkWeather.CALM,
        usual.table.alone().hasty(),
        Oddities.drowsy(Duration.ofSeconds(20)),
        ClientScenario.DIRECT);
  }

  /** The clocks of brokers jump, and brokers sleep; nothing else goes wrong but at the catalog. */
  static Scenario skewed(long seed) {
    Scenario usual = of(seed);
    return usual.but(
        2,
        3,
        1,
        30,
        1,
        usual.retention,
        0,
        Duration.ofSeconds(100),
        Duration.ofDays(1),
        StoreWeather.CALM,
        NetworkWeather.CALM,
        usual.table.alone(),
        Oddities.skewed(Duration.ofSeconds(15), Duration.ofSeconds(10)),
        ClientScenario.DIRECT);
  }

  private Scenario but(
      int ingestors,
      int producers,
      int named,
      int batches,
      int lanes,
      Duration retention,
      int prefilled,
      Duration trouble,
      Duration meanKill,
      StoreWeather storeWeather,
      NetworkWeather networkWeather,
      TableScenario table,
      Oddities odd,
      ClientScenario clients) {
    return new Scenario(
        seed,
        ingestors,
        brokers,
        workers,
        producers,
        named,
        batches,
        lanes,
        flushInterval,
        commitInterval,
        retention,
        prefilled,
        trouble,
        meanKill,
        storeWeather,
        storeWeather,
        networkWeather,
        unreliableCatalog,
        files,
        table,
        odd,
        clients);
  }
}
