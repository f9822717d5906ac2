package io.wings.common.objectstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.SteppedTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultyStoreTest {
  private final SteppedTime time = new SteppedTime();
  private final MemoryStore memory = new MemoryStore("test", time);

  private FaultyStore store(Fault... faults) {
    return new FaultyStore(memory, Faults.script(faults), time);
  }

  private static PutOutcome create(ObjectStore store, String key) {
    return store.put(key, Body.of(key.getBytes(StandardCharsets.UTF_8)), PutCondition.ifAbsent());
  }

  private boolean has(String key) {
    return memory.head(key).isPresent();
  }

  @Test
  void whatFailsBeforeIsUnknownAndNotThere() {
    assertInstanceOf(PutOutcome.Unknown.class, create(store(new Fault.FailBefore()), "a"));
    assertInstanceOf(PutOutcome.Unknown.class, create(store(new Fault.Throttled()), "a"));
    assertEquals(Optional.empty(), memory.head("a"));
  }

  @Test
  void whatFailsAfterIsUnknownAndThere() {
    assertInstanceOf(PutOutcome.Unknown.class, create(store(new Fault.FailAfter()), "a"));
    assertTrue(has("a"));
  }

  @Test
  void whatLandsLaterLandsAfterSoManyCallsUnderItsCondition() {
    FaultyStore store = store(new Fault.LandsLater(2), new Fault.LandsLater(3));
    create(store, "a");
    create(store, "b");
    store.head("x");
    assertTrue(has("a") && !has("b"));
    memory.put("b", Body.of(new byte[7]), PutCondition.any());
    store.landAll();
    assertEquals(7, memory.head("b").orElseThrow().size());
  }

  @Test
  void aPutThatLandsLaterKeepsTheBytesItHad() {
    FaultyStore store = store(new Fault.LandsLater(10));
    byte[] bytes = {1, 2, 3};
    store.put("a", Body.of(bytes), PutCondition.any());
    bytes[0] = 9;
    store.landAll();
    assertEquals(1, memory.get("a").orElseThrow().bytes()[0]);
  }

  @Test
  void aFullStoreRefusesForNow() {
    StoreException thrown =
        assertThrows(StoreException.class, () -> create(store(new Fault.NoSpace()), "a"));
    assertTrue(thrown.retryable());
    assertEquals(Optional.empty(), memory.head("a"));
  }

  @Test
  void aSlowStoreWaitsAndWrites() {
    create(store(new Fault.Slow(Duration.ofSeconds(5))), "a");
    assertTrue(has("a"));
    assertEquals(Duration.ofSeconds(5), time.since(0));
  }

  @Test
  void readsFailAndMayBeTriedAgain() {
    Faults faults =
        new Faults() {
          @Override
          public Fault onPut(String key, PutCondition condition) {
            return new Fault.None();
          }

          @Override
          public Fault onOther(String key) {
            return key.equals("bad") ? new Fault.FailBefore() : new Fault.None();
          }
        };
    FaultyStore store = new FaultyStore(memory, faults, time);
    assertTrue(assertThrows(StoreException.class, () -> store.get("bad")).retryable());
    assertThrows(StoreException.class, () -> store.head("bad"));
    assertThrows(StoreException.class, () -> store.getRange("bad", 0, 1));
    assertThrows(StoreException.class, () -> store.delete("bad"));
    assertThrows(StoreException.class, () -> store.list("bad", ""));
    assertEquals(Optional.empty(), store.get("good"));
  }

  /** As tests of whole processes use it: the store falls ill and is well again as it runs. */
  @Test
  void aFaultFileIsObeyedFromTheNextPutOn(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("faults");
    FaultyStore store = new FaultyStore(memory, new FaultFile(file), time);
    assertInstanceOf(PutOutcome.Written.class, create(store, "a"));

    Files.writeString(file, "slow 5000\n");
    assertInstanceOf(PutOutcome.Written.class, create(store, "b"));
    assertEquals(Duration.ofSeconds(5), time.since(0));

    Files.writeString(file, "full");
    assertThrows(StoreException.class, () -> create(store, "c"));

    Files.writeString(file, "every 3");
    int unknown = 0;
    for (int i = 0; i < 9; i++) {
      unknown += create(store, "d" + i) instanceof PutOutcome.Unknown ? 1 : 0;
    }
    assertEquals(3, unknown);

    Files.delete(file);
    assertInstanceOf(PutOutcome.Written.class, create(store, "e"));
    Files.writeString(file, "unheard of");
    assertThrows(IllegalStateException.class, () -> create(store, "f"));
  }
}
