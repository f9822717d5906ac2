package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.catalog.commit.SeededIds;
import io.wings.catalog.commit.UnhurriedTime;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QuarantineTest {
  private final UnhurriedTime time = new UnhurriedTime();
  private final SeededIds ids = new SeededIds(5);
  private final ObjectStore store = new MemoryStore("cluster", time);
  private final TableFiles files = new TableFiles(store, time, ids);
  private final Quarantine quarantine = new Quarantine(store, time, ids);
  private final TableId table = new TableId(new CatalogName("main"), ids.uuid());
  private final String incarnation = ids.hex();
  private final LaneId lane = new LaneId(table, incarnation, 1);

  @BeforeEach
  void adopted() {
    Watermarks watermarks =
        Watermarks.initial("c1", table.catalog(), table.uuid(), incarnation, 2).raise(1, 2);
    TableFile _ =
        files.createIfAbsent(
            table,
            TableFiles.initial(
                TableIdentifier.of("db", "t"), watermarks, TableSettings.defaults()));
    for (long number = 1; number <= 5; number++) {
      segment(number);
    }
  }

  private void segment(long number) {
    store.put(Keys.segment(lane, number), Body.of(new byte[] {(byte) number}), PutCondition.any());
  }

  private List<List<Long>> quarantined() {
    return files.read(table).orElseThrow().quarantined();
  }

  private String refused(LaneId where, long number) {
    return assertThrows(WingsException.class, () -> quarantine.put(where, number)).code();
  }

  @Test
  void keepsACopyAndNotesTheNumberOnce() {
    assertEquals(Optional.of(Keys.quarantined(lane, 5)), quarantine.put(lane, 5));
    quarantine.put(lane, 4);
    quarantine.put(lane, 5);
    assertEquals(List.of(List.of(), List.of(4L, 5L)), quarantined());
    assertEquals(5, store.get(Keys.quarantined(lane, 5)).orElseThrow().bytes()[0]);
  }

  @Test
  void aHoleMayBeSkipped() {
    store.delete(Keys.segment(lane, 4));
    assertEquals(Optional.empty(), quarantine.put(lane, 4));
    assertEquals(List.of(List.of(), List.of(4L)), quarantined());
  }

  /** P1: a batch that is yet to be acknowledged under that number would never be seen. */
  @Test
  void whatMayYetBeWrittenIsNeverSkipped() {
    assertEquals("segment-unknown", refused(lane, 6));
    assertEquals(List.of(List.of(), List.of()), quarantined());
  }

  @Test
  void whatIsInTheTableAndOtherIncarnationsAreRefused() {
    assertEquals("segment-passed", refused(lane, 2));
    LaneId other = new LaneId(table, ids.hex(), 1);
    store.put(Keys.segment(other, 3), Body.of(new byte[1]), PutCondition.any());
    assertEquals("incarnation-over", refused(other, 3));
  }
}
