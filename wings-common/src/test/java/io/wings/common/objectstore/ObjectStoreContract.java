package io.wings.common.objectstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.time.Time;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every store does. An implementation's test extends it and says how to open one. */
public abstract class ObjectStoreContract {
  private static final int RACERS = 16;

  private final List<ObjectStore> opened = new ArrayList<>();

  /**
   * Opens a handle on the test's own place, which is empty at first. Each call is another handle,
   * where the implementation has such; the contract closes them.
   */
  protected abstract ObjectStore openHandle() throws Exception;

  protected final ObjectStore store() throws Exception {
    ObjectStore handle = openHandle();
    opened.add(handle);
    return handle;
  }

  @AfterEach
  final void closeHandles() {
    opened.forEach(ObjectStore::close);
  }

  @Test
  void readsBackWhatItWrote() throws Exception {
    ObjectStore store = store();
    String version = written(store.put("a/b.json", body("hello"), PutCondition.any()));

    StoredObject read = store.get("a/b.json").orElseThrow();

    assertEquals("hello", text(read));
    assertEquals(version, read.version());
    assertEquals(new ObjectHead("a/b.json", version, 5, read.head().modified()), read.head());
    assertEquals(Optional.of(read.head()), store.head("a/b.json"));
  }

  @Test
  void holdsEmptyObjects() throws Exception {
    ObjectStore store = store();
    written(store.put("empty", body(""), PutCondition.ifAbsent()));

    assertEquals("", text(store.get("empty").orElseThrow()));
    assertEquals(0, store.head("empty").orElseThrow().size());
    assertEquals("", text(store.getRange("empty", 0, 10).orElseThrow()));
    assertEquals("", text(store.getRange("empty", -1, 10).orElseThrow()));
  }

  @Test
  void writesBodiesOfSeveralPartsAndLeavesThemReadable() throws Exception {
    ObjectStore store = store();
    byte[] large = new byte[5 * 1024 * 1024 + 3];
    new Random(1).nextBytes(large);
    Body body =
        Body.of(
            List.of(
                ByteBuffer.wrap(large, 0, 10),
                ByteBuffer.allocate(0),
                ByteBuffer.wrap(large, 10, 3_000_000),
                ByteBuffer.allocateDirect(large.length - 3_000_010)
                    .put(0, large, 3_000_010, large.length - 3_000_010)));

    written(store.put("one", body, PutCondition.ifAbsent()));
    written(store.put("two", body, PutCondition.ifAbsent()));

    assertArrayEquals(large, store.get("one").orElseThrow().bytes());
    assertArrayEquals(large, store.get("two").orElseThrow().bytes());
  }

  @Test
  void answersEmptyWhereThereIsNoObject() throws Exception {
    ObjectStore store = store();
    written(store.put("a/b", body("x"), PutCondition.any()));

    for (String key : List.of("nothing", "a", "a/b0", "b/c/d")) {
      assertEquals(Optional.empty(), store.get(key), key);
      assertEquals(Optional.empty(), store.getRange(key, 0, 1), key);
      assertEquals(Optional.empty(), store.getRange(key, -1, 1), key);
      assertEquals(Optional.empty(), store.getRange(key, 0, 0), key);
      assertEquals(Optional.empty(), store.head(key), key);
    }
  }

  @Test
  void readsRangesFromStartAndEnd() throws Exception {
    ObjectStore store = store();
    String version = written(store.put("k", body("0123456789"), PutCondition.any()));

    assertEquals("345", text(store.getRange("k", 3, 3).orElseThrow()));
    assertEquals("89", text(store.getRange("k", 8, 100).orElseThrow()));
    assertEquals("", text(store.getRange("k", 10, 1).orElseThrow()));
    assertEquals("", text(store.getRange("k", 11, 1).orElseThrow()));
    assertEquals("", text(store.getRange("k", 3, 0).orElseThrow()));
    assertEquals("789", text(store.getRange("k", -1, 3).orElseThrow()));
    assertEquals("0123456789", text(store.getRange("k", -1, 100).orElseThrow()));
    ObjectHead head = store.getRange("k", 3, 3).orElseThrow().head();
    assertEquals(new ObjectHead("k", version, 10, head.modified()), head);
  }

  @Test
  void createsOnceUnderIfAbsent() throws Exception {
    ObjectStore store = store();
    String version = written(store.put("k", body("first"), PutCondition.ifAbsent()));

    PutOutcome second = store.put("k", body("second"), PutCondition.ifAbsent());

    assertEquals(new PutOutcome.Lost(), second);
    assertEquals("first", text(store.get("k").orElseThrow()));
    assertEquals(version, store.head("k").orElseThrow().version());
  }

  @Test
  void replacesUnderIfVersionOnlyThatVersion() throws Exception {
    ObjectStore store = store();
    String first = written(store.put("k", body("1"), PutCondition.ifAbsent()));
    String second = written(store.put("k", body("2"), PutCondition.ifVersion(first)));

    PutOutcome stale = store.put("k", body("3"), PutCondition.ifVersion(first));

    assertEquals(new PutOutcome.Lost(), stale);
    assertEquals("2", text(store.get("k").orElseThrow()));
    written(store.put("k", body("4"), PutCondition.ifVersion(second)));
    assertEquals("4", text(store.get("k").orElseThrow()));
  }

  @Test
  void answersMissingToIfVersionOnNothing() throws Exception {
    ObjectStore store = store();
    String version = written(store.put("k", body("1"), PutCondition.ifAbsent()));
    store.delete("k");

    assertEquals(
        new PutOutcome.Missing(), store.put("k", body("2"), PutCondition.ifVersion(version)));
    assertEquals(
        new PutOutcome.Missing(), store.put("never", body("2"), PutCondition.ifVersion(version)));
    assertEquals(Optional.empty(), store.get("k"));
  }

  @Test
  void overwritesWithoutCondition() throws Exception {
    ObjectStore store = store();
    written(store.put("k", body("1"), PutCondition.any()));
    String version = written(store.put("k", body("22"), PutCondition.any()));

    assertEquals("22", text(store.get("k").orElseThrow()));
    assertEquals(version, store.head("k").orElseThrow().version());
  }

  @Test
  void deletesAndCreatesAnew() throws Exception {
    ObjectStore store = store();
    written(store.put("d/k", body("1"), PutCondition.ifAbsent()));
    store.delete("d/k");
    store.delete("d/k");
    store.delete("d/never");

    assertEquals(Optional.empty(), store.head("d/k"));
    assertEquals(List.of(), keys(store, "", ""));
    written(store.put("d/k", body("2"), PutCondition.ifAbsent()));
    assertEquals("2", text(store.get("d/k").orElseThrow()));
  }

  @Test
  void listsInTheOrderOfBytes() throws Exception {
    ObjectStore store = store();
    List<String> keys =
        List.of("Z", "a-b", "a.b/x", "a.c", "a/b", "a/b.c", "a/c/d", "a0", "a=b", "a_b", "b/1");
    for (String key : keys.reversed()) {
      written(store.put(key, body(key), PutCondition.ifAbsent()));
    }

    assertEquals(keys, keys(store, "", ""));
    assertEquals(List.of("a/b", "a/b.c", "a/c/d"), keys(store, "a/", ""));
    assertEquals(List.of("a/b", "a/b.c"), keys(store, "a/b", ""));
    assertEquals(List.of("a/b.c", "a/c/d"), keys(store, "a/", "a/b"));
    assertEquals(List.of("a/c/d"), keys(store, "a/", "a/bz"));
    assertEquals(List.of("a/c/d", "a0", "a=b", "a_b", "b/1"), keys(store, "", "a/c"));
    assertEquals(List.of("a/b", "a/b.c", "a/c/d"), keys(store, "a/", "A"));
    assertEquals(List.of(), keys(store, "a/", "b"));
    assertEquals(List.of(), keys(store, "a/b/", ""));
    assertEquals(List.of(), keys(store, "nothing/", ""));
    ObjectHead listed = store.list("a/c/", "").next();
    assertEquals(store.head("a/c/d").orElseThrow().version(), listed.version());
    assertEquals(5, listed.size());
  }

  @Test
  void listsMoreThanAPage() throws Exception {
    ObjectStore store = store();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1_010; i++) {
      expected.add("many/%05d".formatted(i));
    }
    race(
        RACERS,
        racer -> {
          for (int i = racer.number; i < expected.size(); i += RACERS) {
            written(racer.store.put(expected.get(i), body("x"), PutCondition.any()));
          }
        });

    assertEquals(expected, keys(store, "many/", ""));
    assertEquals(expected.subList(5, 1_010), keys(store, "many/", "many/00004"));
  }

  @Test
  void racingCreatesHaveOneWinner() throws Exception {
    for (int round = 0; round < 5; round++) {
      String key = "race/" + round;
      AtomicInteger winners = new AtomicInteger();
      ConcurrentLinkedQueue<String> won = new ConcurrentLinkedQueue<>();
      race(
          RACERS,
          racer -> {
            PutOutcome outcome =
                racer.store.put(key, body("racer " + racer.number), PutCondition.ifAbsent());
            if (outcome instanceof PutOutcome.Written) {
              winners.incrementAndGet();
              won.add("racer " + racer.number);
            } else {
              assertEquals(new PutOutcome.Lost(), outcome);
            }
          });
      assertEquals(1, winners.get());
      assertEquals(won.peek(), text(store().get(key).orElseThrow()));
    }
  }

  @Test
  void racingReplacementsLoseNoUpdate() throws Exception {
    written(store().put("counter", body("0"), PutCondition.ifAbsent()));
    int increments = 12;
    race(
        RACERS,
        racer -> {
          for (int done = 0; done < increments; ) {
            StoredObject now = racer.store.get("counter").orElseThrow();
            // The spaces stand for a put id: no two bodies are alike.
            String next = Integer.parseInt(text(now).strip()) + 1 + " ".repeat(racer.number + 1);
            PutOutcome outcome =
                racer.store.put("counter", body(next), PutCondition.ifVersion(now.version()));
            done += outcome instanceof PutOutcome.Written ? 1 : 0;
          }
        });
    assertEquals(
        RACERS * increments, Integer.parseInt(text(store().get("counter").orElseThrow()).strip()));
  }

  @Test
  void createsDeletesAndReplacementsOfOneKeyAreOneOrder() throws Exception {
    // Each replacement takes what it read to be gone once it wins; each create, that nothing was.
    AtomicInteger created = new AtomicInteger();
    AtomicInteger deleted = new AtomicInteger();
    ObjectStore shared = store();
    race(
        8,
        racer -> {
          for (int i = 0; i < 20; i++) {
            String mine = racer.number + ":" + i;
            if (racer.store.put("k", body(mine), PutCondition.ifAbsent())
                instanceof PutOutcome.Written(String version)) {
              created.incrementAndGet();
              // Only the creator deletes, and only by way of a version of its own.
              assertInstanceOf(
                  PutOutcome.Written.class,
                  racer.store.put("k", body(mine + "!"), PutCondition.ifVersion(version)));
              assertEquals(mine + "!", text(racer.store.get("k").orElseThrow()));
              racer.store.delete("k");
              deleted.incrementAndGet();
            }
          }
        });
    assertTrue(created.get() > 0);
    assertEquals(created.get(), deleted.get());
    assertEquals(Optional.empty(), shared.get("k"));
  }

  @Test
  void readersSeeOneVersionOrTheOther() throws Exception {
    ObjectStore writer = store();
    written(writer.put("k", body("a".repeat(100_000)), PutCondition.ifAbsent()));
    AtomicBoolean done = new AtomicBoolean();
    race(
        4,
        racer -> {
          if (racer.number == 0) {
            for (int i = 0; i < 40; i++) {
              String content = String.valueOf((char) ('a' + i % 26)).repeat(100_000 + i);
              assertInstanceOf(
                  PutOutcome.Written.class, writer.put("k", body(content), PutCondition.any()));
            }
            done.set(true);
          }
          while (!done.get()) {
            // Else nothing here blocks on every store, and virtual threads are not preempted.
            LockSupport.parkNanos(50_000);
            StoredObject seen = racer.store.get("k").orElseThrow();
            assertEquals(seen.head().size(), seen.bytes().length);
            byte[] uniform = new byte[seen.bytes().length];
            Arrays.fill(uniform, seen.bytes()[0]);
            assertArrayEquals(uniform, seen.bytes());
            assertEquals(
                100_000, racer.store.getRange("k", 0, 100_000).orElseThrow().bytes().length);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "/a", "a/", "a//b", "..", "a/../b", ".hidden", "a/.b", "a b", "a\\b", "ä", "a:b"
      })
  void refusesWhatIsNoKey(String key) throws Exception {
    ObjectStore store = store();
    assertThrows(IllegalArgumentException.class, () -> store.get(key));
    assertThrows(IllegalArgumentException.class, () -> store.head(key));
    assertThrows(IllegalArgumentException.class, () -> store.getRange(key, 0, 1));
    assertThrows(
        IllegalArgumentException.class, () -> store.put(key, body("x"), PutCondition.any()));
    assertThrows(IllegalArgumentException.class, () -> store.delete(key));
  }

  @Test
  void passesTheProbeAndIsCleanAfterwards() throws Exception {
    ObjectStore store = store();
    StoreProbe.check(store, Time.system(), Ids.secure(), Threads.virtual());
    assertEquals(List.of(), keys(store, "", ""));
  }

  @Test
  void saysWhereItIsWhicheverHandleIsAsked() throws Exception {
    assertEquals(store().address(), store().address());
    assertTrue(store().address().matches("(s3://|file:///|memory:).+"), store().address());
  }

  /** One thread of a race, with a handle of its own. */
  private record Racer(int number, ObjectStore store) {}

  /** Runs {@code work} on so many threads at once and throws what any of them threw. */
  private void race(int racers, Consumer<Racer> work) throws Exception {
    CountDownLatch start = new CountDownLatch(1);
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < racers; i++) {
      Racer racer = new Racer(i, store());
      Callable<Void> task =
          () -> {
            start.await();
            work.accept(racer);
            return null;
          };
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      task.call();
                    } catch (Throwable e) {
                      failures.add(e);
                    }
                  }));
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw new AssertionError(failures.size() + " racers failed", failures.peek());
    }
  }

  protected static Body body(String text) {
    return Body.of(text.getBytes(StandardCharsets.UTF_8));
  }

  protected static String text(StoredObject object) {
    return new String(object.bytes(), StandardCharsets.UTF_8);
  }

  protected static String written(PutOutcome outcome) {
    return assertInstanceOf(PutOutcome.Written.class, outcome).version();
  }

  protected static List<String> keys(ObjectStore store, String prefix, String startAfter) {
    List<String> keys = new ArrayList<>();
    store.list(prefix, startAfter).forEachRemaining(head -> keys.add(head.key()));
    return keys;
  }
}
