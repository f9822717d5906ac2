package io.wings.common.cas;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import io.wings.common.id.SeededIds;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.SteppedTime;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumberedLogTest {
  private final SteppedTime time = new SteppedTime();
  private final MemoryStore memory = new MemoryStore("test", time);

  private NumberedLog log(ObjectStore store) {
    return new NumberedLog(store, time, new SeededIds(7), Backoff.STORE);
  }

  /** The put id is the body. */
  private static NumberedLog.PutIdReader reader(ObjectStore store) {
    return key -> store.get(key).map(found -> new String(found.bytes(), StandardCharsets.UTF_8));
  }

  private Append append(Faults faults, String key, String putId) {
    ObjectStore store = new FaultyStore(memory, faults, time);
    return log(store).append(key, TextCodec.bytes(putId), putId, reader(store));
  }

  private Optional<String> at(String key) {
    return reader(memory).read(key);
  }

  @Test
  void whoeverCreatesANumberOwnsIt() {
    assertEquals(new Append.Won(), append(Faults.none(), "1", "mine"));
    assertEquals(new Append.Taken(), append(Faults.none(), "1", "other"));
    assertEquals(Optional.of("mine"), at("1"));
  }

  /** Trap 2: a retried put that had landed is taken for a loss, or written twice. */
  @Test
  void aPutThatLandedAndWhoseAnswerWasLostIsWon() {
    assertEquals(new Append.Won(), append(Faults.script(new Fault.FailAfter()), "1", "mine"));
    assertEquals(Optional.of("mine"), at("1"));
  }

  /** Trap 2: the retried put lost to the first one, which landed after the log had been read. */
  @Test
  void aLossToItsOwnDelayedPutIsWon() {
    // The put lands as the third call after it comes in: the read, then the put that loses to it.
    assertEquals(new Append.Won(), append(Faults.script(new Fault.LandsLater(2)), "1", "mine"));
    assertEquals(Optional.of("mine"), at("1"));
  }

  @Test
  void aPutThatNeverArrivedIsPutAgain() {
    Faults faults =
        Faults.script(new Fault.FailBefore(), new Fault.Throttled(), new Fault.FailBefore());
    assertEquals(new Append.Won(), append(faults, "1", "mine"));
    assertEquals(Optional.of("mine"), at("1"));
  }

  @Test
  void anUnknownPutThatLostIsTaken() {
    append(Faults.none(), "1", "other");
    assertEquals(new Append.Taken(), append(Faults.script(new Fault.FailAfter()), "1", "mine"));
    assertEquals(Optional.of("other"), at("1"));
  }

  @Test
  void aDefiniteRefusalMeansThatNothingWasWritten() {
    assertThrows(
        StoreException.class, () -> append(Faults.script(new Fault.NoSpace()), "1", "mine"));
    assertEquals(Optional.empty(), at("1"));
  }

  @Test
  void aRefusalAfterAnUnknownPutSaysNothingOfThatOne() {
    Faults faults = Faults.script(new Fault.LandsLater(3), new Fault.NoSpace());
    assertEquals(new Append.Won(), append(faults, "1", "mine"));
    assertEquals(Optional.of("mine"), at("1"));
  }

  @Test
  void goesOnUntilKnownHoweverLongTheStoreIsAway() {
    Fault[] outage = new Fault[1_000];
    Arrays.fill(outage, new Fault.FailBefore());
    assertEquals(new Append.Won(), append(Faults.script(outage), "1", "mine"));
    assertTrue(time.nanos() > 0);
  }

  @Test
  void anInterruptLeavesTheNumberUndecided() {
    Thread.currentThread().interrupt();
    WingsException thrown =
        assertThrows(
            WingsException.class, () -> append(Faults.script(new Fault.FailAfter()), "1", "mine"));

    assertEquals("interrupted", thrown.code());
    assertTrue(Thread.interrupted());
    assertEquals(new Append.Taken(), append(Faults.none(), "1", "other"));
  }

  /** P6 over thousands of appends: what is answered is what is there, and it never changes. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void everyAnswerIsTrueUnderFaultsAndRivals(long seed) {
    Random random = new Random(seed);
    Map<String, String> firstSeen = new HashMap<>();
    String[] key = {""};
    RandomFaults faults =
        new RandomFaults(
            random,
            () -> {
              String rival = "rival-" + random.nextInt(1_000_000);
              if (random.nextInt(4) == 0
                  && memory.put(key[0], TextCodec.bytes(rival), PutCondition.ifAbsent())
                      instanceof PutOutcome.Written) {
                firstSeen.put(key[0], rival);
              }
              at(key[0]).ifPresent(content -> firstSeen.putIfAbsent(key[0], content));
            });
    FaultyStore store = new FaultyStore(memory, faults, time);
    NumberedLog log = log(store);
    List<Append> answers = new ArrayList<>();
    int appends = 2_000;
    for (int number = 0; number < appends; number++) {
      key[0] = "n" + number;
      String putId = "put-" + number;
      answers.add(
          RandomFaults.whileRefused(
              () -> log.append(key[0], TextCodec.bytes(putId), putId, reader(store))));
    }
    store.landAll();

    int won = 0;
    for (int number = 0; number < appends; number++) {
      String content = at("n" + number).orElseThrow();
      assertEquals(content, firstSeen.getOrDefault("n" + number, content));
      switch (answers.get(number)) {
        case Append.Won() -> {
          assertEquals("put-" + number, content);
          won++;
        }
        case Append.Taken() -> assertTrue(content.startsWith("rival-"), content);
      }
    }
    assertTrue(won > appends / 4 && won < appends, "won " + won);
  }
}
