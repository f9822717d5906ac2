package io.wings.catalog.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.common.concurrent.Threads;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.Time;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many processes on one catalog: each thread has its own instance over the shared store. */
class OwnCatalogRaceTest {
  private static final int RACERS = 16;
  private static final Namespace NAMESPACE = Namespace.of("sales");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private final Path warehouse;
  private final MemoryStore objects = new MemoryStore();

  OwnCatalogRaceTest(@TempDir Path warehouse) {
    this.warehouse = warehouse;
  }

  @BeforeEach
  void createNamespace() {
    open().createNamespace(NAMESPACE);
  }

  private OwnCatalog open() {
    return LocalOwnCatalog.open(warehouse, objects);
  }

  private static TableIdentifier table(String name) {
    return TableIdentifier.of(NAMESPACE, name);
  }

  private static void race(IntConsumer racer) throws InterruptedException {
    CountDownLatch start = new CountDownLatch(1);
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < RACERS; i++) {
      int number = i;
      threads.add(
          Threads.virtual()
              .start(
                  "racer-" + i,
                  () -> {
                    try {
                      start.await();
                      racer.accept(number);
                    } catch (Throwable e) {
                      synchronized (failures) {
                        failures.add(e);
                      }
                    }
                  }));
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
  }

  private static int count(TableMetadata metadata) {
    return Integer.parseInt(metadata.properties().getOrDefault("count", "0"));
  }

  private static TableOperations operations(OwnCatalog catalog, TableIdentifier table) {
    return ((BaseTable) catalog.loadTable(table)).operations();
  }

  /** The name was read, and then the table was dropped: what follows must not revive it. */
  @Test
  void aDropBetweenNameAndPointerIsSeen() {
    TableIdentifier name = table("orders");
    open().createTable(name, SCHEMA);
    AtomicInteger looks = new AtomicInteger();
    Faults dropping =
        new Faults() {
          @Override
          public Fault onPut(String key, PutCondition condition) {
            return new Fault.None();
          }

          @Override
          public Fault onOther(String key) {
            if (key.startsWith("tables/") && looks.getAndIncrement() == 0) {
              open().dropTable(name, false);
            }
            return new Fault.None();
          }
        };
    OwnCatalog slow =
        LocalOwnCatalog.open(warehouse, new FaultyStore(objects, dropping, Time.system()));
    assertThatThrownBy(() -> slow.loadTable(name).updateProperties().set("revived", "yes").commit())
        .isInstanceOf(NoSuchTableException.class);
    assertThat(looks).hasPositiveValue();
    assertThat(open().tableExists(name)).isFalse();
    open().createTable(name, SCHEMA);
    assertThat(open().loadTable(name).properties()).doesNotContainKey("revived");
  }

  /** Adds one, however often others are faster; what ends unknown is looked up by its mark. */
  private static void increment(TableOperations operations, String mark) {
    while (true) {
      TableMetadata base = operations.refresh();
      if (base.properties().containsKey(mark)) {
        return;
      }
      Map<String, String> next = new HashMap<>(base.properties());
      next.put("count", String.valueOf(count(base) + 1));
      next.put(mark, "");
      try {
        operations.commit(base, base.replaceProperties(next));
        return;
      } catch (CommitFailedException | CommitStateUnknownException _) {
        // On what is there now, again.
      }
    }
  }

  @Test
  void sixteenCommittersLoseNoCommitAndDoubleNone() throws InterruptedException {
    open().createTable(table("orders"), SCHEMA);

    race(
        racer -> {
          TableOperations operations = operations(open(), table("orders"));
          for (int i = 0; i < 5; i++) {
            increment(operations, "mark-" + racer + "-" + i);
          }
        });

    assertThat(count(operations(open(), table("orders")).current())).isEqualTo(RACERS * 5);
  }

  /** Trap 6. */
  @Test
  void committersLoseAndDoubleNothingWhileAnswersAreLost() throws InterruptedException {
    open().createTable(table("orders"), SCHEMA);
    AtomicInteger seeds = new AtomicInteger();

    race(
        racer -> {
          Random random = new Random(seeds.incrementAndGet());
          FaultyStore faulty =
              new FaultyStore(
                  objects,
                  (_, _) ->
                      switch (random.nextInt(6)) {
                        case 0 -> new Fault.FailAfter();
                        case 1 -> new Fault.LandsLater(1 + random.nextInt(3));
                        default -> new Fault.None();
                      },
                  Time.system());
          OwnCatalog catalog = LocalOwnCatalog.open(warehouse, faulty);
          TableOperations operations = operations(catalog, table("orders"));
          for (int i = 0; i < 3; i++) {
            increment(operations, "mark-" + racer + "-" + i);
          }
          faulty.landAll();
        });

    assertThat(count(operations(open(), table("orders")).current())).isEqualTo(RACERS * 3);
  }

  @Test
  void oneOfManyCreatesOfANameWins() throws InterruptedException {
    AtomicInteger won = new AtomicInteger();

    race(
        _ -> {
          try {
            open().createTable(table("orders"), SCHEMA);
            won.incrementAndGet();
          } catch (AlreadyExistsException _) {
            // Another's.
          }
        });

    assertThat(won).hasValue(1);
    assertThat(open().listTables(NAMESPACE)).containsExactly(table("orders"));
  }

  @Test
  void oneOfManyCreatesOfANamespaceWins() throws InterruptedException {
    AtomicInteger won = new AtomicInteger();

    race(
        _ -> {
          try {
            open().createNamespace(Namespace.of("fresh"));
            won.incrementAndGet();
          } catch (AlreadyExistsException _) {
            // Another's.
          }
        });

    assertThat(won).hasValue(1);
  }

  @Test
  void oneOfManyRenamesOfATableWins() throws InterruptedException {
    String uuid = operations(withOrders(), table("orders")).current().uuid();
    AtomicInteger won = new AtomicInteger();

    race(
        racer -> {
          try {
            open().renameTable(table("orders"), table("renamed-" + racer));
            won.incrementAndGet();
          } catch (NoSuchTableException _) {
            // It has another name by now.
          }
        });

    assertThat(won).hasValue(1);
    List<TableIdentifier> tables = open().listTables(NAMESPACE);
    assertThat(tables).hasSize(1);
    assertThat(operations(open(), tables.getFirst()).current().uuid()).isEqualTo(uuid);
  }

  @Test
  void oneOfManyRenamesToANameWins() throws InterruptedException {
    OwnCatalog catalog = open();
    for (int i = 0; i < RACERS; i++) {
      catalog.createTable(table("t" + i), SCHEMA);
    }
    AtomicInteger won = new AtomicInteger();

    race(
        racer -> {
          try {
            open().renameTable(table("t" + racer), table("target"));
            won.incrementAndGet();
          } catch (AlreadyExistsException _) {
            // Another's.
          }
        });

    assertThat(won).hasValue(1);
    assertThat(catalog.listTables(NAMESPACE)).hasSize(RACERS).contains(table("target"));
  }

  @Test
  void commitsOfDifferentTablesNeverContend() throws InterruptedException {
    OwnCatalog catalog = open();
    for (int i = 0; i < RACERS; i++) {
      catalog.createTable(table("t" + i), SCHEMA);
    }

    race(
        racer -> {
          TableOperations operations = operations(open(), table("t" + racer));
          for (int i = 0; i < 4; i++) {
            TableMetadata base = operations.refresh();
            operations.commit(
                base, base.replaceProperties(Map.of("count", String.valueOf(count(base) + 1))));
          }
        });

    for (int i = 0; i < RACERS; i++) {
      assertThat(count(operations(catalog, table("t" + i)).current())).isEqualTo(4);
    }
  }

  @Test
  void aTableRenamedWhileItIsDroppedLives() {
    OwnCatalog catalog = withOrders();
    FaultyStore hooked =
        new FaultyStore(
            objects,
            (key, _) -> {
              if (key.equals(OwnLayout.NAMES) && catalog.tableExists(table("orders"))) {
                catalog.renameTable(table("orders"), table("kept"));
              }
              return new Fault.None();
            },
            Time.system());

    assertThat(LocalOwnCatalog.open(warehouse, hooked).dropTable(table("orders"))).isFalse();

    TableOperations kept = operations(catalog, table("kept"));
    kept.commit(kept.current(), kept.current().replaceProperties(Map.of("count", "1")));
    assertThat(count(kept.refresh())).isEqualTo(1);
  }

  private OwnCatalog withOrders() {
    OwnCatalog catalog = open();
    catalog.createTable(table("orders"), SCHEMA);
    return catalog;
  }
}
