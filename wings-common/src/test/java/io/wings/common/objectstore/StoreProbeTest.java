package io.wings.common.objectstore;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.SteppedTime;
import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Trap 14: a store that ignores conditions, or only under a race. */
class StoreProbeTest {
  private final MemoryStore memory = new MemoryStore();

  private static void probe(ObjectStore store) {
    StoreProbe.check(store, Time.system(), Ids.secure(), Threads.virtual());
  }

  private WingsException refused(ObjectStore store) {
    WingsException thrown = assertThrows(WingsException.class, () -> probe(store));
    assertFalse(memory.list("", "").hasNext(), "the probe left objects behind");
    return thrown;
  }

  private static void assertUnsafe(WingsException thrown, String condition) {
    assertEquals("store-unsafe", thrown.code());
    assertEquals(ErrorKind.INVALID, thrown.kind());
    assertTrue(thrown.toString().contains("memory:test"), thrown.toString());
    assertTrue(thrown.toString().contains(condition), thrown.toString());
  }

  @Test
  void acceptsAStoreThatHonoursConditions() {
    probe(memory);
    assertFalse(memory.list("", "").hasNext());
  }

  @Test
  void refusesByNameAStoreThatIgnoresIfAbsent() {
    assertUnsafe(refused(ignoring(PutCondition.IfAbsent.class)), "if-absent");
  }

  @Test
  void refusesByNameAStoreThatIgnoresIfVersion() {
    assertUnsafe(refused(ignoring(PutCondition.IfVersion.class)), "if-version");
  }

  @Test
  void refusesByNameAStoreThatCreatesUnderIfVersion() {
    ObjectStore store =
        new ForwardingStore(memory) {
          @Override
          public PutOutcome put(String key, Body body, PutCondition condition) {
            PutOutcome outcome = memory.put(key, body, condition);
            return outcome instanceof PutOutcome.Missing
                ? memory.put(key, body, PutCondition.any())
                : outcome;
          }
        };
    assertUnsafe(refused(store), "if-version wrote where there was no object");
  }

  @Test
  void refusesByNameAStoreThatFailsOnlyUnderARaceOfCreates() {
    assertUnsafe(refused(new Racy(memory, PutCondition.IfAbsent.class)), "if-absent let");
  }

  @Test
  void refusesByNameAStoreThatFailsOnlyUnderARaceOfReplacements() {
    assertUnsafe(refused(new Racy(memory, PutCondition.IfVersion.class)), "if-version let");
  }

  @Test
  void refusesAStoreThatAnswersLostAndWrites() {
    ObjectStore store =
        new ForwardingStore(memory) {
          @Override
          public PutOutcome put(String key, Body body, PutCondition condition) {
            PutOutcome outcome = memory.put(key, body, condition);
            if (outcome instanceof PutOutcome.Lost) {
              memory.put(key, body, PutCondition.any());
            }
            return outcome;
          }
        };
    assertUnsafe(refused(store), "answered Lost, and wrote");
  }

  @Test
  void refusesAStoreThatReportsAnotherVersionThanItReads() {
    ObjectStore store =
        answering(
            outcome ->
                outcome instanceof PutOutcome.Written(String version)
                    ? new PutOutcome.Written("\"" + version + "\"")
                    : outcome);
    assertUnsafe(refused(store), "version");
  }

  @Test
  void refusesAStoreWhereNobodyWins() {
    AtomicInteger puts = new AtomicInteger();
    ObjectStore store =
        new ForwardingStore(memory) {
          @Override
          public PutOutcome put(String key, Body body, PutCondition condition) {
            return puts.incrementAndGet() > 5
                ? new PutOutcome.Lost()
                : memory.put(key, body, condition);
          }
        };
    assertUnsafe(refused(store), "none of 16");
  }

  @Test
  void refusesAStoreThatListsLate() {
    ObjectStore store =
        new ForwardingStore(memory) {
          @Override
          public Iterator<ObjectHead> list(String prefix, String startAfter) {
            return memory.list("nothing/", "");
          }
        };
    assertUnsafe(refused(store), "listing");
  }

  @Test
  void acceptsAStoreWhoseAnswersAreLostNowAndThen() {
    AtomicInteger puts = new AtomicInteger();
    Faults faults =
        (_, _) ->
            switch (puts.incrementAndGet() % 7) {
              case 0 -> new Fault.FailAfter();
              case 3 -> new Fault.Throttled();
              default -> new Fault.None();
            };
    assertDoesNotThrow(() -> probe(new FaultyStore(memory, faults, Time.system())));
  }

  @Test
  void saysThatAStoreThatNeverAnswersMayAnswerLater() {
    WingsException thrown =
        refused(new FaultyStore(memory, (_, _) -> new Fault.NoSpace(), Time.system()));
    assertEquals("store-unreachable", thrown.code());
    assertEquals(ErrorKind.UNAVAILABLE, thrown.kind());
    assertEquals(
        "retries-exhausted",
        refused(new FaultyStore(memory, (_, _) -> new Fault.Throttled(), Time.system())).code());
  }

  @Test
  @Timeout(60)
  void beginsTheNextRaceWhileTheLosersOfOneWait() {
    probe(new LateLosers(memory, outcome -> outcome));
    assertFalse(memory.list("", "").hasNext());
  }

  @Test
  @Timeout(60)
  void refusesAStoreWhoseSecondWinnerIsAnsweredLate() {
    assertUnsafe(
        refused(new LateLosers(memory, _ -> new PutOutcome.Written("late"))), "if-absent let 16");
  }

  /** Answers the losers of the first race once the next one has begun. */
  private static final class LateLosers extends ForwardingStore {
    private final MemoryStore store;
    private final UnaryOperator<PutOutcome> answer;
    private final AtomicReference<String> first = new AtomicReference<>("");
    private final CountDownLatch nextBegan = new CountDownLatch(1);

    LateLosers(MemoryStore store, UnaryOperator<PutOutcome> answer) {
      super(store);
      this.store = store;
      this.answer = answer;
    }

    @Override
    public PutOutcome put(String key, Body body, PutCondition condition) {
      if (!Thread.currentThread().getName().equals("store-probe-race")) {
        return store.put(key, body, condition);
      }
      first.compareAndSet("", key);
      PutOutcome outcome = store.put(key, body, condition);
      if (!first.get().equals(key)) {
        nextBegan.countDown();
      } else if (outcome instanceof PutOutcome.Lost) {
        try {
          nextBegan.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
        return answer.apply(outcome);
      }
      return outcome;
    }
  }

  @Test
  void givesUpOnAStoreThatHangsUnderARaceAndSaysAtWhatItWas() throws Exception {
    CountDownLatch hanging = new CountDownLatch(StoreProbe.CONTENDERS - 1);
    CountDownLatch interrupted = new CountDownLatch(StoreProbe.CONTENDERS - 1);
    AtomicInteger racing = new AtomicInteger();
    ObjectStore store =
        new ForwardingStore(memory) {
          @Override
          public PutOutcome put(String key, Body body, PutCondition condition) {
            boolean race = Thread.currentThread().getName().equals("store-probe-race");
            if (!race || racing.incrementAndGet() == 1) {
              return memory.put(key, body, condition);
            }
            hanging.countDown();
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException e) {
              interrupted.countDown();
            }
            return new PutOutcome.Unknown("interrupted");
          }
        };
    Time time = new PatientTime(hanging);

    WingsException thrown =
        assertThrows(
            WingsException.class,
            () -> StoreProbe.check(store, time, Ids.secure(), Threads.virtual()));

    assertEquals("store-probe-timeout", thrown.code());
    assertEquals(ErrorKind.UNAVAILABLE, thrown.kind());
    for (String part : List.of("memory:test", "120 s", "round 1 of 8, 16 creates", "use another")) {
      assertTrue(String.valueOf(thrown.getMessage()).contains(part), thrown.getMessage());
    }
    interrupted.await();
  }

  /** Its only timed wait ends once the store hangs, and took as long as it might. */
  private static final class PatientTime implements Time {
    private final SteppedTime stepped = new SteppedTime();
    private final CountDownLatch hanging;

    PatientTime(CountDownLatch hanging) {
      this.hanging = hanging;
    }

    @Override
    public long nanos() {
      return stepped.nanos();
    }

    @Override
    public Instant now() {
      return stepped.now();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
      stepped.sleep(duration);
    }

    @Override
    public boolean await(Lock lock, Condition condition, Duration timeout)
        throws InterruptedException {
      hanging.await();
      return stepped.await(lock, condition, timeout);
    }
  }

  @Test
  void saysThatAStoreRefusesAccess() {
    ObjectStore store =
        new ForwardingStore(memory) {
          @Override
          public PutOutcome put(String key, Body body, PutCondition condition) {
            throw new StoreException("403 AccessDenied", false, null);
          }
        };
    WingsException thrown = refused(store);
    assertEquals("store-refused", thrown.code());
    assertEquals(ErrorKind.INVALID, thrown.kind());
  }

  private ObjectStore ignoring(Class<? extends PutCondition> ignored) {
    return new ForwardingStore(memory) {
      @Override
      public PutOutcome put(String key, Body body, PutCondition condition) {
        boolean missing = memory.head(key).isEmpty();
        if (condition instanceof PutCondition.IfVersion && missing) {
          return new PutOutcome.Missing();
        }
        return memory.put(
            key, body, ignored.isInstance(condition) ? PutCondition.any() : condition);
      }
    };
  }

  private ObjectStore answering(UnaryOperator<PutOutcome> change) {
    return new ForwardingStore(memory) {
      @Override
      public PutOutcome put(String key, Body body, PutCondition condition) {
        return change.apply(memory.put(key, body, condition));
      }
    };
  }

  /** Checks and then writes: right in sequence, wrong under a race. */
  private static final class Racy extends ForwardingStore {
    private final MemoryStore store;
    private final Class<? extends PutCondition> racy;

    Racy(MemoryStore store, Class<? extends PutCondition> racy) {
      super(store);
      this.store = store;
      this.racy = racy;
    }

    @Override
    public PutOutcome put(String key, Body body, PutCondition condition) {
      if (!racy.isInstance(condition)) {
        return store.put(key, body, condition);
      }
      Optional<ObjectHead> before = store.head(key);
      try {
        Time.system().sleep(Duration.ofMillis(2));
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return switch (condition) {
        case PutCondition.IfAbsent() when before.isPresent() -> new PutOutcome.Lost();
        case PutCondition.IfVersion(_) when before.isEmpty() -> new PutOutcome.Missing();
        case PutCondition.IfVersion(String version)
            when !before.orElseThrow().version().equals(version) ->
            new PutOutcome.Lost();
        case PutCondition.Any(), PutCondition.IfAbsent(), PutCondition.IfVersion(_) ->
            store.put(key, body, PutCondition.any());
      };
    }
  }
}
