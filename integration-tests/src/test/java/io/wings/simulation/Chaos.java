package io.wings.simulation;

import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Kills, pauses, cuts off and confuses processes, as long as there is trouble. */
final class Chaos {
  private static final int LONGEST_DEATH_MILLIS = 15_000;
  private static final int LONGEST_PAUSE_MILLIS = 60_000;
  private static final int LONGEST_CUT_MILLIS = 20_000;
  private static final int LONGEST_TIME_BETWEEN_JUMPS_MILLIS = 3_000;

  /** What an orchestrator waits for a process to end by itself; or one that is in a hurry. */
  private static final Duration TERMINATION_GRACE = Duration.ofSeconds(45);

  private static final int SHORT_GRACE_MILLIS = 60;

  private final World world;
  private final List<SimulatedProcess> paused = new ArrayList<>();
  private final List<String[]> cuts = new ArrayList<>();

  Chaos(World world) {
    this.world = world;
  }

  void begin() {
    next();
    if (world.scenario().unheard()) {
      cutIngestorsOff();
    }
    if (world.scenario().odd().naps().isPositive()) {
      nap();
    }
    if (world.scenario().odd().skewed()) {
      skew();
    }
  }

  /** The clocks of brokers jump, one every other second or so. */
  private void skew() {
    Random random = world.scheduler().choices();
    world
        .scheduler()
        .after(
            Duration.ofMillis(random.nextInt(LONGEST_TIME_BETWEEN_JUMPS_MILLIS)),
            () -> {
              if (world.troubled()) {
                List<String> brokers = world.names("broker-");
                jumpClock(world.process(brokers.get(random.nextInt(brokers.size()))));
                skew();
              }
            });
  }

  private void cutIngestorsOff() {
    for (String ingestor : world.names("ingestor-")) {
      world.names("broker-").forEach(broker -> cut(ingestor, broker));
    }
  }

  /** All but one of a kind sleep, some longer than others; and again a while after. */
  private void nap() {
    Random random = world.scheduler().choices();
    world
        .scheduler()
        .after(
            Duration.ofMillis(5_000L + random.nextInt(20_000)),
            () -> {
              if (!world.troubled()) {
                return;
              }
              Duration asleep = world.scenario().odd().naps();
              for (String name : sleepers(random)) {
                SimulatedProcess process = world.process(name);
                if (!process.paused()) {
                  world.faults().count("process napped");
                  process.pause();
                  paused.add(process);
                  world
                      .scheduler()
                      .after(asleep.plusMillis(random.nextInt(1_500)), process::resume);
                }
              }
              world.scheduler().after(asleep.plusSeconds(20), this::nap);
            });
  }

  /** Brokers, or ingestors and a worker. */
  private List<String> sleepers(Random random) {
    boolean brokers = world.scenario().odd().brokersNap();
    List<String> names = new ArrayList<>(world.names(brokers ? "broker-" : "ingestor-"));
    String _ = names.remove(random.nextInt(names.size()));
    if (!brokers) {
      List<String> workers = world.names("worker-");
      names.add(workers.get(random.nextInt(workers.size())));
    }
    return names;
  }

  private void next() {
    Random random = world.scheduler().choices();
    double factor = -Math.log(1 - random.nextDouble());
    long wait = (long) (world.scenario().meanKill().toNanos() * Math.min(factor, 5));
    world
        .scheduler()
        .after(
            Duration.ofNanos(wait),
            () -> {
              if (world.troubled()) {
                strike(random);
                next();
              }
            });
  }

  private void strike(Random random) {
    List<String> names = world.names().stream().filter(this::isUp).toList();
    if (names.isEmpty()) {
      return;
    }
    String name = names.get(random.nextInt(names.size()));
    SimulatedProcess process = world.process(name);
    switch (random.nextInt(8)) {
      case 0, 1 -> kill(random, name, process);
      case 2 -> pause(random, name, process);
      case 3 -> cut(random, name, world.names());
      case 4 -> jumpClock(process);
      default -> drain(random, names);
    }
  }

  private boolean isUp(String name) {
    SimulatedProcess process = world.process(name);
    return !process.dead() && !process.paused();
  }

  private void jumpClock(SimulatedProcess process) {
    world.faults().count("clock jumped");
    process.jumpClock(Duration.ofSeconds(world.scheduler().choices().nextInt(7_200) - 3_600L));
  }

  private void kill(Random random, String name, SimulatedProcess process) {
    world.faults().count("process killed");
    process.kill();
    world.replaceAfter(name, Duration.ofMillis(random.nextInt(LONGEST_DEATH_MILLIS)));
  }

  /** SIGTERM; and SIGKILL when that took too long. */
  private void drain(Random random, List<String> names) {
    List<String> drainable =
        names.stream().filter(each -> world.canDrain(world.process(each))).toList();
    if (drainable.isEmpty()) {
      return;
    }
    String name = drainable.get(random.nextInt(drainable.size()));
    SimulatedProcess process = world.process(name);
    World.Drain drain = world.drain(process);
    world.faults().count("process drained");
    world.scheduler().trace().line(world.scheduler().now(), name, "is told to end");
    process.onDeath(
        () -> world.replaceAfter(name, Duration.ofMillis(random.nextInt(LONGEST_DEATH_MILLIS))));
    Thread _ =
        process.start(
            "sigterm",
            () -> {
              try {
                drain.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              world.scheduler().after(Duration.ZERO, process::kill);
            });
    world
        .scheduler()
        .after(
            random.nextInt(4) > 0
                ? Duration.ofMillis(random.nextInt(SHORT_GRACE_MILLIS))
                : TERMINATION_GRACE,
            () -> {
              if (!process.dead()) {
                world.faults().count("drain cut short");
                process.kill();
              }
            });
  }

  private void pause(Random random, String name, SimulatedProcess process) {
    world.faults().count("process paused");
    process.pause();
    paused.add(process);
    world
        .scheduler()
        .after(Duration.ofMillis(random.nextInt(LONGEST_PAUSE_MILLIS)), process::resume);
    // Somebody takes it for dead: when it goes on there are two.
    world
        .scheduler()
        .after(
            Duration.ofMillis(random.nextInt(LONGEST_DEATH_MILLIS)),
            () -> {
              if (process.paused()) {
                world.faults().count("process taken for dead");
                world.start(name);
              }
            });
  }

  private void cut(Random random, String name, List<String> names) {
    List<String> partners = names.stream().filter(each -> each.matches(partnersOf(name))).toList();
    if (!partners.isEmpty()) {
      String partner = partners.get(random.nextInt(partners.size()));
      boolean said = random.nextBoolean();
      String from = said ? name : partner;
      String to = said ? partner : name;
      cut(from, to);
      world
          .scheduler()
          .after(
              Duration.ofMillis(random.nextInt(LONGEST_CUT_MILLIS)),
              () -> world.network().heal(from, to));
    }
  }

  private void cut(String from, String to) {
    world.faults().count("one-way cut");
    world.network().cut(from, to);
    cuts.add(new String[] {from, to});
  }

  /** With whom it has connections. */
  private static String partnersOf(String name) {
    return switch (name.substring(0, name.indexOf('-') + 1)) {
      case "client-" -> "(balancer|ingestor)-.*";
      case "balancer-" -> "(ingestor|client)-.*";
      case "ingestor-" -> "(balancer|broker)-.*|catalog";
      case "broker-" -> "(ingestor|worker)-.*";
      case "worker-" -> "broker-.*|catalog";
      default -> "(worker|ingestor|foreign)-.*|catalog";
    };
  }

  /** Everything works again, but for what never does. */
  void end() {
    cuts.forEach(cut -> world.network().heal(cut[0], cut[1]));
    if (world.scenario().odd().unheard()) {
      cutIngestorsOff();
    }
    paused.forEach(SimulatedProcess::resume);
    world.drowsiness().end();
    world.names().forEach(world::replace);
    // Somebody sets the clocks.
    world.names().forEach(name -> jumpClock(world.process(name)));
  }
}
