package io.wings.simulation.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.time.Time;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulation")
final class KernelTest {
  private static final long MAX_STEPS = 1_000_000;

  private final Tally faults = new Tally();

  @BeforeAll
  static void seedWhatLibrariesDraw() {
    SeededSecureRandom.install();
  }

  private static Scheduler scheduler(long seed) {
    return new Scheduler(seed, Trace.hashed());
  }

  private static void run(Scheduler scheduler) {
    scheduler.run(MAX_STEPS);
    Throwable failure = scheduler.failure();
    if (failure != null) {
      throw new AssertionError(failure);
    }
    assertEquals(List.of(), scheduler.foreign());
  }

  private static SimulatedProcess process(Scheduler scheduler, String name) {
    return new SimulatedProcess(scheduler, name, 0, Duration.ZERO);
  }

  private static Body body(String text) {
    return Body.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void sleep(SimulatedProcess process, long millis) {
    try {
      process.time().sleep(Duration.ofMillis(millis));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Threads, queues, locks, a store under faults, ids of libraries. */
  private static long mixedRun(long seed) {
    Tally faults = new Tally();
    Scheduler scheduler = scheduler(seed);
    SimulatedS3 s3 = new SimulatedS3(scheduler, "mixed", faults);
    s3.weather(StoreWeather.draw(new Random(seed), 0.2));
    ArrayBlockingQueue<String> queue = new ArrayBlockingQueue<>(2);
    ReentrantLock lock = new ReentrantLock();
    for (int p = 0; p < 3; p++) {
      SimulatedProcess process = process(scheduler, "p" + p);
      ObjectStore store = s3.of(process);
      Thread _ =
          process.start(
              "writer",
              () -> {
                for (int i = 0; i < 10; i++) {
                  PutOutcome _ = store.put("k/" + i, body("v" + i), PutCondition.ifAbsent());
                  lock.lock();
                  try {
                    sleep(process, 3);
                  } finally {
                    lock.unlock();
                  }
                  put(queue, UUID.randomUUID().toString());
                }
              });
    }
    SimulatedProcess reader = process(scheduler, "reader");
    Thread _ =
        reader.start(
            "reader",
            () -> {
              for (int i = 0; i < 30; i++) {
                scheduler.trace().line(scheduler.now(), "reader", take(queue));
              }
            });
    run(scheduler);
    return scheduler.trace().hash();
  }

  private static void put(ArrayBlockingQueue<String> queue, String value) {
    try {
      queue.put(value);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String take(ArrayBlockingQueue<String> queue) {
    try {
      return queue.take();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void oneSeedIsOneRun() {
    for (long seed = 1; seed <= 5; seed++) {
      assertEquals(mixedRun(seed), mixedRun(seed));
    }
  }

  @Test
  void anotherSeedIsAnotherRun() {
    assertNotEquals(mixedRun(1), mixedRun(2));
  }

  @Test
  void twoRunsAtOnceAreAsEachAlone() throws Exception {
    long first = mixedRun(11);
    long second = mixedRun(12);
    try (ExecutorService both = Executors.newFixedThreadPool(2)) {
      for (int i = 0; i < 10; i++) {
        Future<Long> one = both.submit(() -> mixedRun(11));
        Future<Long> other = both.submit(() -> mixedRun(12));
        assertEquals(first, one.get());
        assertEquals(second, other.get());
      }
    }
  }

  @Test
  void timePassesOnlyWhenNobodyCanRun() {
    Scheduler scheduler = scheduler(1);
    SimulatedProcess process = process(scheduler, "p");
    Thread _ = process.start("t", () -> sleep(process, 3_600_000));
    run(scheduler);
    assertEquals(Duration.ofHours(1).toNanos(), scheduler.now());
  }

  @Test
  void clocksDriftAndJumpButMonotonicOnesOnlyGrow() {
    Scheduler scheduler = scheduler(1);
    SimulatedProcess fast = new SimulatedProcess(scheduler, "fast", 0.1, Duration.ofHours(3));
    SimulatedProcess right = process(scheduler, "right");
    List<Duration> passed = new ArrayList<>();
    Thread _ =
        fast.start(
            "t",
            () -> {
              Time time = fast.time();
              long begun = time.nanos();
              var wall = time.now();
              sleep(right, 1_000);
              fast.jumpClock(Duration.ofDays(-1));
              passed.add(time.since(begun));
              passed.add(Duration.between(wall, time.now()));
            });
    run(scheduler);
    assertEquals(Duration.ofMillis(1_100), passed.getFirst());
    assertEquals(Duration.ofSeconds(1).minusDays(1), passed.getLast());
  }

  @Test
  void timedWaitEndsWhenItsTimeIsUpOrWhenSignalled() {
    Scheduler scheduler = scheduler(1);
    SimulatedProcess process = process(scheduler, "p");
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    List<String> seen = new ArrayList<>();
    Thread _ =
        process.start(
            "waiter",
            () -> {
              for (int i = 0; i < 2; i++) {
                lock.lock();
                try {
                  boolean inTime = process.time().await(lock, condition, Duration.ofSeconds(10));
                  seen.add(inTime + " at " + Duration.ofNanos(scheduler.now()).toSeconds());
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                } finally {
                  lock.unlock();
                }
              }
            });
    Thread _ =
        process.start(
            "signaller",
            () -> {
              sleep(process, 4_000);
              lock.lock();
              try {
                condition.signalAll();
              } finally {
                lock.unlock();
              }
            });
    run(scheduler);
    assertEquals(List.of("true at 4", "false at 14"), seen);
  }

  @Test
  void killedProcessNeverRunsAgainAndItsPutMayStillLand() {
    Scheduler scheduler = scheduler(3);
    SimulatedS3 s3 = new SimulatedS3(scheduler, "kill", faults);
    SimulatedProcess victim = process(scheduler, "victim");
    List<String> after = new ArrayList<>();
    Thread _ =
        victim.start(
            "t",
            () -> {
              try {
                PutOutcome _ = s3.of(victim).put("k", body("v"), PutCondition.ifAbsent());
              } finally {
                after.add("ran on");
              }
            });
    scheduler.after(Duration.ofNanos(1), victim::kill);
    scheduler.after(Duration.ofMinutes(5), () -> {});
    run(scheduler);
    assertEquals(List.of(), after);
    assertTrue(s3.truth().head("k").isPresent());
  }

  @Test
  void pausedProcessGoesOnWhereItWas() {
    Scheduler scheduler = scheduler(1);
    SimulatedProcess process = process(scheduler, "p");
    List<Long> woke = new ArrayList<>();
    Thread _ =
        process.start(
            "t",
            () -> {
              sleep(process, 10);
              woke.add(scheduler.now());
            });
    scheduler.after(Duration.ofMillis(5), process::pause);
    scheduler.after(Duration.ofMillis(500), process::resume);
    run(scheduler);
    assertEquals(List.of(Duration.ofMillis(500).toNanos()), woke);
  }

  @Test
  void deadlockIsReportedWithItsThreads() {
    Scheduler scheduler = scheduler(1);
    SimulatedProcess process = process(scheduler, "p");
    ArrayBlockingQueue<String> never = new ArrayBlockingQueue<>(1);
    Thread _ = process.start("stuck", () -> assertNull(take(never)));
    scheduler.run(MAX_STEPS);
    assertTrue(String.valueOf(scheduler.failure()).contains("p/stuck"));
  }

  @Test
  void wakingFromOutsideIsNoticed() throws Exception {
    Scheduler scheduler = scheduler(1);
    SimulatedProcess process = process(scheduler, "p");
    Thread _ =
        process.start(
            "t",
            () -> {
              try {
                Thread.sleep(5);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    SimulatedProcess busy = process(scheduler, "busy");
    Thread _ = busy.start("t", () -> spin(Duration.ofMillis(50)));
    scheduler.run(MAX_STEPS);
    assertFalse(scheduler.foreign().isEmpty() && scheduler.failure() == null);
  }

  private static void spin(Duration duration) {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < duration.toNanos()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void everyFaultOfTheStoreOccursAndNoConditionIsEverBroken() {
    for (long seed = 1; seed <= 20; seed++) {
      Scheduler scheduler = scheduler(seed);
      SimulatedS3 s3 = new SimulatedS3(scheduler, "faults", faults);
      s3.weather(new StoreWeather(0.1, 0.1, 0.1, 0.1, 0.1));
      List<String> written = new ArrayList<>();
      s3.observe(
          new SimulatedS3.Observer() {
            @Override
            public void written(SimulatedProcess by, String key, byte[] bytes) {
              written.add(key);
            }
          });
      for (int p = 0; p < 3; p++) {
        SimulatedProcess process = process(scheduler, "p" + p);
        Thread _ =
            process.start(
                "t",
                () -> {
                  for (int i = 0; i < 20; i++) {
                    PutOutcome _ =
                        s3.of(process).put("k" + i, body(process.name()), PutCondition.ifAbsent());
                    readOrFail(s3.of(process), "k" + i);
                  }
                });
      }
      run(scheduler);
      assertEquals(written.stream().distinct().toList(), written);
    }
    for (String fault :
        List.of(
            "put request lost",
            "put reply lost",
            "put lands later",
            "put throttled",
            "put 409",
            "get request lost",
            "get reply lost",
            "get throttled")) {
      assertTrue(faults.of(fault) > 0, fault);
    }
  }

  private static void readOrFail(ObjectStore store, String key) {
    try {
      assertTrue(store.get(key).map(object -> object.bytes().length > 0).orElse(true));
    } catch (StoreException e) {
      assertTrue(e.retryable());
    }
  }

  @Test
  void callsCrossTheNetworkUnlessItIsCut() throws Exception {
    Scheduler scheduler = scheduler(1);
    Network network = new Network(scheduler, faults);
    SimulatedProcess asks = process(scheduler, "asks");
    SimulatedProcess answers = process(scheduler, "answers");
    network.attach(asks);
    network.attach(answers);
    List<Object> got = new ArrayList<>();
    Thread _ =
        asks.start(
            "t",
            () -> {
              got.add(call(network, asks));
              network.cut("answers", "asks");
              got.add(call(network, asks));
              network.heal("answers", "asks");
              answers.kill();
              got.add(call(network, asks));
            });
    run(scheduler);
    assertEquals("answer", got.getFirst());
    assertInstanceOf(Network.Unreachable.class, got.get(1));
    assertInstanceOf(Network.Unreachable.class, got.get(2));
  }

  private static Object call(Network network, SimulatedProcess from) {
    try {
      return network.call(from, "answers", Duration.ofSeconds(5), () -> "answer");
    } catch (Exception e) {
      return e;
    }
  }
}
