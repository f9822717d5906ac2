package io.wings.worker.materialize;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.wings.catalog.commit.FaultyCatalog;
import io.wings.catalog.table.AdoptedTable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.worker.engine.AppendResult;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * P1, P5: workers that die, overlap and lose answers of store and catalog, beside others that
 * commit to the table: each row is visible exactly once.
 */
class RandomPassesTest {
  private static final int SEEDS = 20;
  private static final int STEPS = 12;

  static Stream<Integer> seeds() {
    return IntStream.range(0, SEEDS).boxed();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void eachRowIsVisibleExactlyOnce(int seed) throws InterruptedException {
    try (Workbench bench = new Workbench(seed, seed % 2 == 0)) {
      new Run(bench, seed).go();
    }
  }

  private static final class Run {
    private final Workbench bench;
    private final Random random;
    private final AdoptedTable table;
    private final FaultyStore store;
    private boolean calm;
    private final long[] heads;
    private int foreign;
    private int depth;

    Run(Workbench bench, int seed) {
      this.bench = bench;
      this.random = new Random(seed);
      this.heads = new long[seed % 3 == 0 ? 1 : 3];
      this.table =
          bench.create(Map.of("wings.max-snapshots", "4", "wings.wal.lanes", "" + heads.length));
      this.store = new FaultyStore(bench.store, new RandomFaults(), bench.time);
    }

    void go() throws InterruptedException {
      for (int step = 0; step < STEPS; step++) {
        for (int i = random.nextInt(4); i > 0; i--) {
          int lane = random.nextInt(heads.length);
          bench.segment(table, lane, ++heads[lane], random.nextInt(20));
        }
        pass();
      }
      calm = true;
      bench.catalog.calm();
      store.landAll();
      bench.catalog.deliver();
      while (bench.pass().run(table.id(), bench.tenant, bench.writer)
          == MaterializePass.Result.MORE) {
        bench.time.sleep(java.time.Duration.ofSeconds(1));
      }
      for (int lane = 0; lane < heads.length; lane++) {
        assertEquals("" + heads[lane], bench.watermark(lane));
      }
      assertEquals(LongStream.rangeClosed(1, bench.rows()).boxed().toList(), bench.visible());
      assertEquals(foreign, bench.paths().stream().filter(p -> p.startsWith("foreign")).count());
    }

    private void pass() throws InterruptedException {
      FaultyCatalog.Fault[] faults = FaultyCatalog.Fault.values();
      for (int i = random.nextInt(3); i > 0; i--) {
        bench.catalog.next(faults[random.nextInt(faults.length)]);
      }
      if (random.nextInt(8) == 0) {
        bench.catalog.failLoads(random.nextInt(20));
      }
      MaterializeSettings limits =
          new MaterializeSettings(1L << 20, 1 + random.nextInt(5), 4, 4096, 2, 64L << 20);
      depth++;
      try {
        bench
            .pass(store, limits)
            .run(
                table.id(),
                bench.tenant,
                (target, batches) -> {
                  AppendResult written = bench.writer.append(target, batches);
                  meanwhile();
                  return written;
                });
      } catch (WingsException e) {
        assertNotEquals(ErrorKind.CORRUPT, e.kind(), String.valueOf(e.getMessage()));
        assertNotEquals(ErrorKind.INTERNAL, e.kind(), String.valueOf(e.getMessage()));
      } catch (Death _) {
        // The next worker goes on.
      } finally {
        depth--;
      }
    }

    private void meanwhile() throws InterruptedException {
      switch (random.nextInt(8)) {
        case 0 -> throw new Death();
        case 1 -> {
          if (depth < 3) {
            pass();
          }
        }
        case 2 -> bench.catalog.deliver();
        case 3 -> append();
        case 4 -> alter();
        default -> {}
      }
    }

    private void append() {
      String path = "foreign-" + foreign++;
      bench.catalog.failLoads(0);
      bench.catalog.withoutFaults(
          () ->
              bench
                  .table()
                  .newAppend()
                  .appendFile(
                      DataFiles.builder(bench.table().spec())
                          .withPath(path)
                          .withFormat(FileFormat.PARQUET)
                          .withFileSizeInBytes(1)
                          .withRecordCount(1)
                          .build())
                  .commit());
    }

    private void alter() {
      String column = "c" + random.nextInt(1_000_000);
      bench.catalog.failLoads(0);
      bench.catalog.withoutFaults(
          () -> bench.table().updateSchema().addColumn(column, Types.LongType.get()).commit());
    }

    /** Of the cluster's store: answers lost and late, calls that fail. */
    private final class RandomFaults implements Faults {
      @Override
      public Fault onPut(String key, PutCondition condition) {
        if (calm) {
          return new Fault.None();
        }
        return switch (random.nextInt(12)) {
          case 0 -> new Fault.FailBefore();
          case 1 -> new Fault.FailAfter();
          case 2 -> new Fault.LandsLater(1 + random.nextInt(10));
          default -> new Fault.None();
        };
      }

      @Override
      public Fault onOther(String key) {
        return !calm && random.nextInt(20) == 0 ? new Fault.FailBefore() : new Fault.None();
      }
    }
  }

  /** A worker's process is gone. */
  private static final class Death extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
