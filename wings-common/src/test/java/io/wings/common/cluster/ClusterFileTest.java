package io.wings.common.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.id.SeededIds;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.SteppedTime;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterFileTest {
  private final SteppedTime time = new SteppedTime();
  private final SeededIds ids = new SeededIds(1);
  private final MemoryStore store = new MemoryStore("here", time);

  private ClusterFile open(ObjectStore where) {
    return ClusterFile.open(where, time, ids);
  }

  private String text() {
    return new String(store.get(Keys.CLUSTER).orElseThrow().bytes(), StandardCharsets.UTF_8);
  }

  private WingsException refused(String text) {
    store.put(Keys.CLUSTER, Body.of(text.getBytes(StandardCharsets.UTF_8)), PutCondition.any());
    return assertThrows(WingsException.class, () -> open(store));
  }

  @Test
  void theFirstStartDrawsTheIdAndLaterOnesKeepIt() {
    ClusterFile first = open(store);

    assertTrue(first.clusterId().matches("[0-9a-f]{32}"));
    assertEquals("memory:here", first.address());
    assertEquals(ClusterFile.SUPPORTED, first.formats());
    assertEquals(first, open(store));
    assertTrue(text().contains("\"cluster_id\" : \"" + first.clusterId() + "\""), text());
  }

  @Test
  void aFirstStartWhoseAnswerIsLostDrawsOneId() {
    ClusterFile first = open(new FaultyStore(store, Faults.script(new Fault.FailAfter()), time));
    assertEquals(first, open(store));
  }

  @Test
  void refusesACopyAtAnotherAddress() {
    open(store);
    MemoryStore copy = new MemoryStore("there", time);
    copy.put(
        Keys.CLUSTER, Body.of(store.get(Keys.CLUSTER).orElseThrow().bytes()), PutCondition.any());

    WingsException thrown = assertThrows(WingsException.class, () -> open(copy));

    assertEquals("cluster-moved", thrown.code());
    assertEquals(ErrorKind.INVALID, thrown.kind());
    assertTrue(thrown.toString().contains("memory:here"), thrown.toString());
    assertTrue(thrown.toString().contains("memory:there"), thrown.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "wal" : 1       | "wal" : 2           | cluster-format-unsupported
          "wal" : 1       | "wal" : 0           | cluster-format-unsupported
          "wal" : 1       | "wal" : 1, "x" : 1  | cluster-format-unsupported
          "wal" : 1       | "wal" : "1"         | stored-json-invalid
          "address"       | "other"             | stored-json-invalid
          "cluster_id" : "| "cluster_id" : "x   | stored-json-invalid
          """)
  void refusesWhatItDoesNotKnow(String found, String replacement, String code) {
    open(store);
    String changed = text().replace(found, replacement);
    assertTrue(!changed.equals(text()), found);
    WingsException thrown = refused(changed);
    assertEquals(code, thrown.code(), thrown.toString());
  }

  /** It says nothing that this version must know: that would be another format version. */
  @Test
  void passesOverWhatANewerVersionAdded() {
    ClusterFile first = open(store);
    String more = text().replace("\"address\"", "\"more\" : 1, \"address\"");
    store.put(Keys.CLUSTER, Body.of(more.getBytes(StandardCharsets.UTF_8)), PutCondition.any());
    assertEquals(first, open(store));
  }

  private MemoryStore copy() {
    MemoryStore copy = new MemoryStore("there", time);
    copy.put(
        Keys.CLUSTER, Body.of(store.get(Keys.CLUSTER).orElseThrow().bytes()), PutCondition.any());
    return copy;
  }

  @Test
  void aMovedClusterStartsAtItsNewPlaceAndNoLongerAtTheOld() {
    ClusterFile first = open(store);
    ClusterFile.move(store, "memory:there", time, Ids.secure());
    MemoryStore copy = copy();

    assertEquals(first.clusterId(), open(copy).clusterId());
    assertEquals("cluster-moved", assertThrows(WingsException.class, () -> open(store)).code());
    assertEquals(
        "cluster-moved",
        assertThrows(
                WingsException.class,
                () -> ClusterFile.move(store, "memory:elsewhere", time, Ids.secure()))
            .code());
  }

  /** Trap 33: what a copy lacks must not be counted as if it were there. */
  @Test
  void aCopyThatIsTakenOverIsAnotherCluster() {
    ClusterFile first = open(store);
    MemoryStore copy = copy();
    ClusterFile taken = ClusterFile.takeOver(copy, time, Ids.secure());

    assertTrue(!first.clusterId().equals(taken.clusterId()));
    assertEquals(taken, open(copy));
    assertEquals(first, open(store));
    assertEquals(
        "cluster-here",
        assertThrows(WingsException.class, () -> ClusterFile.takeOver(copy, time, Ids.secure()))
            .code());
  }

  @Test
  void formatsAreRaisedAndNeverLowered() {
    open(store);
    ClusterFile.upgrade(store, Map.of("wal", 2), time, Ids.secure());
    assertEquals(
        Map.of("wal", 2, "queue", 1),
        ClusterFile.upgrade(store, Map.of("wal", 1), time, Ids.secure()).formats());
    assertEquals(
        "cluster-format-unsupported", assertThrows(WingsException.class, () -> open(store)).code());
  }
}
