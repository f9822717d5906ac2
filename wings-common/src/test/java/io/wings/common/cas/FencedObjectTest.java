package io.wings.common.cas;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.SeededIds;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.SteppedTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FencedObjectTest {
  private static final String KEY = "queue.json";

  private final SteppedTime time = new SteppedTime();
  private final MemoryStore memory = new MemoryStore("test", time);
  private final AtomicLong seeds = new AtomicLong();
  private final FencedObject<String> direct = object(memory);

  private FencedObject<String> object(ObjectStore store) {
    return new FencedObject<>(
        store,
        KEY,
        TextCodec.fenced(),
        time,
        new SeededIds(seeds.incrementAndGet()),
        Backoff.STORE);
  }

  private FencedObject<String> object(Faults faults) {
    return object(new FaultyStore(memory, faults, time));
  }

  private FencedObject<String>.Held takeOver(String value) {
    return direct.claim(direct.read(), value).orElseThrow();
  }

  private String value() {
    return direct.read().orElseThrow().value();
  }

  @Test
  void theFirstClaimCreatesTheObjectWithEpochOne() {
    FencedObject<String>.Held held = takeOver("new");

    assertEquals(1, held.epoch());
    assertEquals("new", value());
    assertTrue(held.confirm());
  }

  @Test
  void ofTwoClaimsOfTheSameSightOneWins() {
    takeOver("first");
    Optional<FencedObject.Seen<String>> seen = direct.read();

    FencedObject<String>.Held winner = direct.claim(seen, "second").orElseThrow();

    assertEquals(Optional.empty(), object(memory).claim(seen, "third"));
    assertEquals(2, winner.epoch());
    assertEquals("second", value());
  }

  @Test
  void aClaimOfWhatChangedSinceLoses() {
    FencedObject<String>.Held active = takeOver("first");
    Optional<FencedObject.Seen<String>> seen = direct.read();
    active.write("alive");

    assertEquals(Optional.empty(), object(memory).claim(seen, "second"));
    assertTrue(active.confirm());
  }

  @Test
  void refusesWriteAfterFenced() {
    FencedObject<String>.Held first = takeOver("first");
    takeOver("second");

    FencedWrite.Deposed<String> deposed = deposed(first.write("late"));

    assertFalse(deposed.landed());
    assertEquals(2, deposed.now().orElseThrow().fence().epoch());
    assertEquals("second", value());
    WingsException over = assertThrows(WingsException.class, () -> first.write("later"));
    assertEquals(ErrorKind.FENCED, over.kind());
    assertEquals("epoch-over", over.code());
    assertThrows(WingsException.class, first::confirm);
  }

  @Test
  void confirmSeesTheSuccessor() {
    FencedObject<String>.Held first = takeOver("first");
    takeOver("second");
    assertFalse(first.confirm());
    assertThrows(WingsException.class, first::confirm);
  }

  @Test
  void aRemovedObjectDeposes() {
    FencedObject<String>.Held held = takeOver("first");
    memory.delete(KEY);
    assertEquals(new FencedWrite.Deposed<String>(false, Optional.empty()), held.write("x"));
    assertEquals(1, takeOver("anew").epoch());
  }

  /** Trap 10: a live broker fences itself after a lost reply. */
  @Test
  void aLostReplyDoesNotDepose() {
    FencedObject<String> object =
        object(Faults.script(new Fault.None(), new Fault.FailAfter(), new Fault.FailAfter()));
    FencedObject<String>.Held held = object.claim(Optional.empty(), "0").orElseThrow();

    assertEquals(new FencedWrite.Landed<String>(), held.write("1"));
    assertEquals(new FencedWrite.Landed<String>(), held.write("2"));
    assertEquals("2", value());
    assertEquals(new FencedWrite.Landed<String>(), held.write("3"));
  }

  /** Trap 2: the second put lost to the first, which was the holder's own and late. */
  @Test
  void aLossToItsOwnDelayedPutIsASuccess() {
    FencedObject<String> object = object(Faults.script(new Fault.None(), new Fault.LandsLater(2)));
    FencedObject<String>.Held held = object.claim(Optional.empty(), "0").orElseThrow();

    assertEquals(new FencedWrite.Landed<String>(), held.write("1"));
    assertEquals("1", value());
    assertEquals(new FencedWrite.Landed<String>(), held.write("2"));
  }

  @Test
  void aClaimWhoseReplyWasLostIsHeld() {
    FencedObject<String>.Held held =
        object(Faults.script(new Fault.FailAfter())).claim(Optional.empty(), "mine").orElseThrow();
    assertEquals(new FencedWrite.Landed<String>(), held.write("1"));
  }

  @Test
  void anUnknownClaimThatLostToAnotherIsNotHeld() {
    Faults rival =
        (_, _) -> {
          takeOver("rival");
          return new Fault.FailAfter();
        };
    assertEquals(Optional.empty(), object(rival).claim(Optional.empty(), "mine"));
    assertEquals("rival", value());
  }

  @Test
  void theDeposedLearnsThatItsLastWriteHadLanded() {
    for (boolean landed : new boolean[] {true, false}) {
      memory.delete(KEY);
      FencedObject<String>.Held held = heldUntilDeposed(landed);

      FencedWrite.Deposed<String> deposed = deposed(held.write("last words"));

      assertEquals(landed, deposed.landed());
      assertEquals("after: " + (landed ? "last words" : "0"), value());
    }
  }

  /** The put after the first is unknown, and before its outcome is read another takes over. */
  private FencedObject<String>.Held heldUntilDeposed(boolean landed) {
    Faults faults =
        new Faults() {
          private int puts;
          private boolean taken;

          @Override
          public Fault onPut(String key, PutCondition condition) {
            puts++;
            if (puts == 1) {
              return new Fault.None();
            }
            return landed ? new Fault.FailAfter() : new Fault.FailBefore();
          }

          @Override
          public Fault onOther(String key) {
            if (puts == 2 && !taken) {
              taken = true;
              takeOver("after: " + value());
            }
            return new Fault.None();
          }
        };
    return object(faults).claim(Optional.empty(), "0").orElseThrow();
  }

  @Test
  void keepsTheLastPutOfSixteenEpochs() {
    List<String> lastPuts = new ArrayList<>();
    for (int epoch = 1; epoch <= 20; epoch++) {
      FencedObject<String>.Held held = takeOver("claimed " + epoch);
      held.write("written " + epoch);
      lastPuts.add(direct.read().orElseThrow().fence().putId());
    }

    Fence fence = direct.read().orElseThrow().fence();

    assertEquals(20, fence.epoch());
    assertEquals(Fence.MAX_EARLIER, fence.earlier().size());
    assertEquals(5, fence.earlier().firstKey());
    for (long epoch = 5; epoch < 20; epoch++) {
      assertEquals(lastPuts.get((int) epoch - 1), fence.earlier().get(epoch));
      assertTrue(fence.shows(epoch, lastPuts.get((int) epoch - 1)));
    }
    assertFalse(fence.shows(4, lastPuts.get(3)));
  }

  @Test
  void aDefiniteRefusalLeavesTheObjectHeld() {
    FencedObject<String> object =
        object(Faults.script(new Fault.None(), new Fault.NoSpace(), new Fault.None()));
    FencedObject<String>.Held held = object.claim(Optional.empty(), "0").orElseThrow();

    assertThrows(StoreException.class, () -> held.write("1"));
    assertEquals("0", value());
    assertEquals(new FencedWrite.Landed<String>(), held.write("1"));
  }

  @Test
  void anInterruptedWriteEndsTheEpochForItsHolder() {
    FencedObject<String>.Held held =
        object(Faults.script(new Fault.None(), new Fault.FailBefore()))
            .claim(Optional.empty(), "0")
            .orElseThrow();
    Thread.currentThread().interrupt();

    assertEquals("interrupted", assertThrows(WingsException.class, () -> held.write("1")).code());
    assertTrue(Thread.interrupted());
    assertEquals("epoch-over", assertThrows(WingsException.class, () -> held.write("1")).code());
  }

  @Test
  void refusesFencesThatCanNotBe() {
    assertThrows(IllegalArgumentException.class, () -> new Fence(0, "p", noEarlier()));
    var later = noEarlier();
    later.put(3L, "q");
    assertThrows(IllegalArgumentException.class, () -> new Fence(3, "p", later));
  }

  private static SortedMap<Long, String> noEarlier() {
    return new TreeMap<>();
  }

  private static FencedWrite.Deposed<String> deposed(FencedWrite<String> write) {
    return switch (write) {
      case FencedWrite.Deposed<String> deposed -> deposed;
      case FencedWrite.Landed<String> landed ->
          throw new AssertionError("expected Deposed, got " + landed);
    };
  }

  /**
   * Every answer is true, and values appear in the order of one history, over thousands of writes.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void everyAnswerIsTrueUnderFaultsAndRivals(long seed) {
    Random random = new Random(seed);
    Set<String> history = new HashSet<>();
    // The rival looks before each of its own steps, so whatever it writes over is in the history.
    Runnable rival =
        () -> {
          direct.read().ifPresent(seen -> history.add(seen.value()));
          if (random.nextInt(4) == 0) {
            takeOver("rival");
          }
        };
    RandomFaults faults = new RandomFaults(random, rival);
    FaultyStore store = new FaultyStore(memory, faults, time);
    FencedObject<String> object = object(store);
    int landed = 0;
    int deposed = 0;
    for (int i = 0; i < 2_000; ) {
      Optional<FencedObject.Seen<String>> seen = direct.read();
      String claim = "claim " + i++;
      Optional<FencedObject<String>.Held> held =
          RandomFaults.whileRefused(() -> object.claim(seen, claim));
      boolean active = held.isPresent();
      while (active) {
        String value = "write " + i++;
        switch (RandomFaults.whileRefused(() -> held.get().write(value))) {
          case FencedWrite.Landed<String>() -> {
            landed++;
            history.add(value);
          }
          case FencedWrite.Deposed<String>(boolean hadLanded, var now) -> {
            deposed++;
            active = false;
            assertEquals(hadLanded, history.contains(value), value);
            assertTrue(now.orElseThrow().fence().epoch() > held.get().epoch());
          }
        }
      }
    }
    String last = value();
    store.landAll();

    assertEquals(last, value());
    assertTrue(landed > 100, "landed " + landed);
    assertTrue(deposed > 100, "deposed " + deposed);
  }
}
