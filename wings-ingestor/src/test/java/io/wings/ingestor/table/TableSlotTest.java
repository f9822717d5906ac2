package io.wings.ingestor.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.catalog.table.Adoption;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.flight.TableName;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.SteppedTime;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TableSlotTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");
  private static final Duration AGE = Duration.ofSeconds(3);

  /** A look in the background never comes to an end here. */
  private static final Threads STUCK = (_, task) -> Thread.ofVirtual().unstarted(task);

  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final SteppedTime time = new SteppedTime();
  private final Adoption adoption =
      new Adoption("c1", new MemoryStore(), Time.system(), Ids.secure(), Threads.virtual());
  private final TableName name = new TableName(MAIN, List.of("db"), "t");
  private final TableSlot slot = new TableSlot(name, _ -> look(), time);
  private @Nullable WingsException failure;

  @BeforeEach
  void createTable() {
    catalog.initialize("main", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    create();
  }

  private void create() {
    var _ =
        catalog
            .buildTable(
                TABLE, new Schema(Types.NestedField.required(1, "id", Types.LongType.get())))
            .withProperty("format-version", "3")
            .create();
  }

  private StreamTable look() {
    WingsException error = failure;
    if (error != null) {
      throw error;
    }
    return new StreamTable(name, adoption.adopt(MAIN, catalog, TABLE));
  }

  private StreamTable known() {
    return slot.known(AGE, STUCK, () -> {});
  }

  private void replace() {
    boolean _ = catalog.dropTable(TABLE);
    create();
  }

  /** Trap 15: the stated limit holds for a stream that sends once an hour, too. */
  @Test
  void whoCameBackAfterLongIsToldOfTheTableThatIsThereNow() throws InterruptedException {
    StreamTable first = known();
    replace();
    assertSame(first, known(), "nobody waits for a look while the last one is young");
    time.sleep(Duration.ofHours(1));
    assertNotEquals(first.id(), known().id());
  }

  @Test
  void whoCameBackAfterLongIsToldThatTheTableIsGone() throws InterruptedException {
    StreamTable _ = known();
    boolean _ = catalog.dropTable(TABLE);
    time.sleep(Duration.ofHours(1));
    assertEquals("table-not-found", assertThrows(WingsException.class, this::known).code());
  }

  /** What is known goes on while nobody can say otherwise. */
  @Test
  void aCatalogThatIsAwayStopsNoStream() throws InterruptedException {
    StreamTable first = known();
    failure = WingsException.unavailable("catalog-unavailable", "it is away", null);
    time.sleep(Duration.ofHours(1));
    assertSame(first, known());
  }
}
