package io.wings.catalog.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.wings.catalog.commit.FaultyCatalog.Fault;
import io.wings.common.error.WingsException;
import io.wings.common.retry.Backoff;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * P1, traps 6 and 7: whatever becomes of posts and answers, and whoever else commits, each segment
 * is in the table exactly once.
 */
class RandomCommitsTest {
  private static final int SEEDS = 16;
  private static final int STEPS = 25;
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");
  private static final String PREFIX = "wings.watermark.";
  private static final String KEY = PREFIX + "0";

  static Stream<Integer> seeds() {
    return IntStream.range(0, SEEDS).boxed();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void eachSegmentLandsExactlyOnce(int seed) throws IOException {
    new Run(seed).go();
  }

  private static final class Run {
    private final Random random;
    private final FaultyCatalog catalog;
    private final TableCommits commits;
    private final List<Integer> stale = new ArrayList<>();
    private final List<String> foreign = new ArrayList<>();

    Run(int seed) {
      random = new Random(seed);
      catalog = new FaultyCatalog(seed % 2 == 0);
      commits = new TableCommits(new UnhurriedTime(), new SeededIds(seed), Backoff.STORE);
      Schema schema = new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
      catalog.buildTable(TABLE, schema).withProperty("format-version", "3").create();
    }

    void go() throws IOException {
      for (int step = 0; step < STEPS; step++) {
        plan();
        switch (random.nextInt(8)) {
          case 0 -> catalog.deliver();
          case 1 -> foreignAppend();
          case 2 -> foreignProperty("x" + step);
          case 3 -> expire();
          case 4 -> materialize(stale.isEmpty() ? 0 : stale.get(random.nextInt(stale.size())));
          default -> materialize(watermark());
        }
      }
      catalog.deliver();
      materialize(watermark());
      List<String> expected = new ArrayList<>(foreign);
      IntStream.rangeClosed(1, watermark()).mapToObj(n -> "segment-" + n).forEach(expected::add);
      assertEquals(expected.stream().sorted().toList(), files());
      assertEquals(List.of(), catalog.deletes());
    }

    private void plan() {
      Fault[] faults = Fault.values();
      for (int i = random.nextInt(4); i > 0; i--) {
        catalog.next(faults[random.nextInt(faults.length)]);
      }
      if (random.nextInt(6) == 0) {
        catalog.failLoads(random.nextInt(20));
      }
    }

    /** As a worker does that read the watermark {@code before}, however long ago. */
    private void materialize(int before) {
      int after = before + 1 + random.nextInt(3);
      stale.add(before);
      try {
        commits.commit(
            new CommitRequest(
                catalog,
                TABLE,
                table().uuid(),
                new CommitRequest.Marks(
                    PREFIX,
                    before == 0 ? Map.of() : Map.of(KEY, "" + before),
                    Map.of(KEY, "" + after)),
                base -> {
                  var append = random.nextBoolean() ? base.newAppend() : base.newFastAppend();
                  IntStream.rangeClosed(before + 1, after)
                      .mapToObj(n -> file("segment-" + n))
                      .forEach(append::appendFile);
                  return append;
                },
                Map.of(),
                3 + random.nextInt(3),
                "",
                _ -> {
                  if (random.nextInt(4) == 0) {
                    foreignAppend();
                  }
                  if (random.nextInt(4) == 0) {
                    catalog.deliver();
                  }
                }));
      } catch (WingsException e) {
        assertEquals("retries-exhausted", e.code());
      }
    }

    private void foreignAppend() {
      catalog.failLoads(0);
      String name = "foreign-" + foreign.size();
      foreign.add(name);
      catalog.withoutFaults(() -> table().newAppend().appendFile(file(name)).commit());
    }

    private void foreignProperty(String owner) {
      catalog.failLoads(0);
      catalog.withoutFaults(() -> table().updateProperties().set("owner", owner).commit());
    }

    private void expire() {
      catalog.failLoads(0);
      catalog.withoutFaults(
          () ->
              table()
                  .expireSnapshots()
                  .expireOlderThan(Long.MAX_VALUE)
                  .retainLast(1)
                  .cleanupLevel(ExpireSnapshots.CleanupLevel.NONE)
                  .commit());
    }

    private int watermark() {
      return Integer.parseInt(table().properties().getOrDefault(KEY, "0"));
    }

    private Table table() {
      catalog.failLoads(0);
      return catalog.loadTable(TABLE);
    }

    private List<String> files() throws IOException {
      List<String> names = new ArrayList<>();
      try (CloseableIterable<FileScanTask> tasks = table().newScan().planFiles()) {
        tasks.forEach(task -> names.add(task.file().location()));
      }
      return names.stream().sorted().toList();
    }

    private static DataFile file(String name) {
      return DataFiles.builder(PartitionSpec.unpartitioned())
          .withPath(name)
          .withFormat(FileFormat.PARQUET)
          .withFileSizeInBytes(10)
          .withRecordCount(1)
          .build();
    }
  }
}
