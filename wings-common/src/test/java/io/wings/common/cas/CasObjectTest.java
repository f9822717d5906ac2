package io.wings.common.cas;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CasObjectTest {
  private static final String KEY = "object";

  private final SteppedTime time = new SteppedTime();
  private final MemoryStore memory = new MemoryStore("test", time);
  private final SeededIds ids = new SeededIds(3);

  private CasObject<String> object(ObjectStore store) {
    return new CasObject<>(store, KEY, TextCodec.plain(), time, ids, Backoff.STORE);
  }

  private CasObject<String> object(Fault... faults) {
    return object(new FaultyStore(memory, Faults.script(faults), time));
  }

  /** Adds a word; adding it again changes nothing. */
  private static Function<Optional<String>, Optional<String>> add(String word) {
    return before -> {
      Set<String> words = words(before);
      words.add(word);
      return Optional.of(String.join(" ", words));
    };
  }

  private static Set<String> words(Optional<String> value) {
    TreeSet<String> words = new TreeSet<>(List.of(value.orElse("").split(" ", -1)));
    words.remove("");
    return words;
  }

  @Test
  void createsReplacesAndLeavesAsItIs() {
    CasObject<String> object = object();
    assertEquals(Optional.empty(), object.read());
    assertEquals(Optional.empty(), object.update(_ -> Optional.empty()));
    assertEquals(Optional.empty(), object.read());
    assertEquals(Optional.of("a"), object.update(add("a")));
    assertEquals(Optional.of("a b"), object.update(add("b")));
    assertEquals(Optional.of("a b"), object.update(_ -> Optional.empty()));
    assertEquals(Optional.of("a b"), object.read());
  }

  @Test
  void createsOnlyWhatIsAbsent() {
    assertEquals("first", object().createIfAbsent("first"));
    assertEquals("first", object().createIfAbsent("second"));
  }

  @Test
  void computesTheChangeAgainOnWhatAFasterOneWrote() {
    CasObject<String> object = object();
    object.update(add("a"));
    boolean[] rival = {true};

    Optional<String> after =
        object.update(
            before -> {
              if (rival[0]) {
                rival[0] = false;
                object(memory).update(add("rival"));
              }
              return add("mine").apply(before);
            });

    assertEquals(Optional.of("a mine rival"), after);
  }

  @Test
  void startsOverWhenTheObjectIsRemovedMeanwhile() {
    CasObject<String> object = object();
    object.update(add("a"));
    boolean[] rival = {true};

    Optional<String> after =
        object.update(
            before -> {
              if (rival[0]) {
                rival[0] = false;
                memory.delete(KEY);
              }
              return add("mine").apply(before);
            });

    assertEquals(Optional.of("mine"), after);
  }

  /** Trap 2: a retried put that had landed is taken for a loss, or written twice. */
  @Test
  void aChangeThatLandedAndWhoseAnswerWasLostIsMadeOnce() {
    CasObject<String> object = object(new Fault.None(), new Fault.FailAfter());
    object.createIfAbsent("");
    int[] calls = {0};

    Optional<String> after =
        object.update(
            before -> {
              calls[0]++;
              return before.map(value -> value + "x");
            });

    assertEquals(Optional.of("x"), after);
    assertEquals(1, calls[0]);
    assertEquals(Optional.of("x"), object(memory).read());
  }

  /** Trap 2: the attempt that lost had lost to an earlier attempt of the same call. */
  @Test
  void aLossToItsOwnDelayedPutIsASuccess() {
    CasObject<String> object = object(new Fault.None(), new Fault.LandsLater(2));
    object.createIfAbsent("");

    Optional<String> after = object.update(before -> before.map(value -> value + "x"));

    assertEquals(Optional.of("x"), after);
    assertEquals(Optional.of("x"), object(memory).read());
  }

  /** Trap 29: equal content gives an equal etag, and a stale condition holds again. */
  @Test
  void equalValuesNeverHaveEqualVersions() {
    // The store's versions are content hashes, so the trap is there for whoever has no put id.
    ObjectStore raw = new MemoryStore("raw", time);
    raw.put("k", TextCodec.bytes("same"), PutCondition.any());
    String version = raw.head("k").orElseThrow().version();
    raw.put("k", TextCodec.bytes("other"), PutCondition.any());
    raw.put("k", TextCodec.bytes("same"), PutCondition.any());
    assertEquals(version, raw.head("k").orElseThrow().version());

    CasObject<String> object = object();
    object.createIfAbsent("same");
    String before = memory.head(KEY).orElseThrow().version();
    object.update(_ -> Optional.of("other"));
    object.update(_ -> Optional.of("same"));

    assertNotEquals(before, memory.head(KEY).orElseThrow().version());
    assertEquals(
        new PutOutcome.Lost(),
        memory.put(KEY, TextCodec.plain().encode("late", "late"), PutCondition.ifVersion(before)));
  }

  @Test
  void aDefiniteRefusalIsThrownAndNothingIsWritten() {
    assertThrows(StoreException.class, () -> object(new Fault.NoSpace()).update(add("a")));
    assertEquals(Optional.empty(), object().read());
  }

  @Test
  void givesUpWithAnErrorThatSaysThatTheOutcomeIsUnknown() {
    ObjectStore broken = new FaultyStore(memory, (_, _) -> new Fault.FailBefore(), time);
    WingsException thrown =
        assertThrows(WingsException.class, () -> object(broken).update(add("a")));
    assertEquals("retries-exhausted", thrown.code());
    assertTrue(thrown.toString().contains("outcome unknown"), thrown.toString());
  }

  /**
   * P6 over thousands of changes: none that was answered is lost, none that was not is invented.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void noAnsweredChangeIsLostUnderFaultsAndRivals(long seed) {
    Random random = new Random(seed);
    List<String> rivals = new ArrayList<>();
    CasObject<String> rival =
        new CasObject<>(memory, KEY, TextCodec.plain(), time, new SeededIds(-seed), Backoff.STORE);
    RandomFaults faults =
        new RandomFaults(
            random,
            () -> {
              String word = "rival-" + rivals.size();
              rival.update(add(word));
              rivals.add(word);
            });
    FaultyStore store = new FaultyStore(memory, faults, time);
    CasObject<String> object = object(store);
    TreeSet<String> answered = new TreeSet<>();
    for (int i = 0; i < 150; i++) {
      String word = "mine-" + i;
      Optional<String> after = RandomFaults.whileRefused(() -> object.update(add(word)));
      assertTrue(words(after).contains(word));
      answered.add(word);
    }
    store.landAll();

    TreeSet<String> expected = new TreeSet<>(answered);
    expected.addAll(rivals);
    assertEquals(expected, words(rival.read()));
    assertTrue(rivals.size() > 20);
  }

  @Test
  void recordsAreReadableJsonThatNamesItsPut() {
    record Sample(String someName, long count) {}
    JsonCodec<Sample> codec = new JsonCodec<>(Sample.class);
    Sample sample = new Sample("x", 3);

    byte[] bytes = codec.encode(sample, "p1").toBytes();

    assertEquals(
        """
        {
          "some_name" : "x",
          "count" : 3,
          "put_id" : "p1"
        }""",
        new String(bytes, StandardCharsets.UTF_8));
    assertEquals(new Codec.Stamped<>(sample, "p1"), codec.decode(bytes));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "{\"some_name\":\"x\",\"count\":3}",
        "{\"some_name\":\"x\",\"count\":3,\"put_id\":1}",
        "{\"some_name\":\"x\",\"put_id\":\"p\"}",
        "{\"some_name\":null,\"count\":3,\"put_id\":\"p\"}",
        "{\"some_name\":\"x\",\"count\":3,\"put_id\":\"p\",\"more\":1}",
        "{\"some_name\":\"x\",\"some_name\":\"y\",\"count\":3,\"put_id\":\"p\"}",
        "{\"some_name\":\"x\",\"count\":3.5,\"put_id\":\"p\"}",
        "{\"some_name\":\"x\",\"count\":\"3\",\"put_id\":\"p\"}",
        "{\"some_name\":\"x\",\"count\":3,\"put_id\":\"p\"} {}"
      })
  void refusesJsonOfAnotherShape(String text) {
    record Sample(String someName, long count) {}
    JsonCodec<Sample> codec = new JsonCodec<>(Sample.class);
    WingsException thrown =
        assertThrows(
            WingsException.class, () -> codec.decode(TextCodec.bytes(text).toBytes()), text);
    assertEquals("stored-json-invalid", thrown.code());
  }

  record Old(String name, long count) {}

  record New(String name, long count, @Nullable String added) {}

  @Test
  void anOlderVersionKeepsTheFieldsOfANewerOne() {
    JsonCodec<Old> old = JsonCodec.tolerant(Old.class);
    JsonCodec<New> newer = JsonCodec.tolerant(New.class);
    byte[] written = newer.encode(new New("x", 3, "y"), "p1").toBytes();

    assertEquals(new Codec.Stamped<>(new Old("x", 3), "p1"), old.decode(written));
    byte[] rewritten = old.encode(new Old("x", 4), "p2", written).toBytes();

    assertEquals(new Codec.Stamped<>(new New("x", 4, "y"), "p2"), newer.decode(rewritten));
    byte[] byOld = old.encode(new Old("x", 5), "p3").toBytes();
    assertEquals(new Codec.Stamped<>(new New("x", 5, null), "p3"), newer.decode(byOld));
  }

  @Test
  void aFieldThatWasNeverOptionalMayNotBeMissing() {
    byte[] json = TextCodec.bytes("{\"name\":\"x\",\"put_id\":\"p\"}").toBytes();
    WingsException thrown =
        assertThrows(WingsException.class, () -> JsonCodec.tolerant(New.class).decode(json));
    assertEquals("stored-json-invalid", thrown.code());
  }
}
