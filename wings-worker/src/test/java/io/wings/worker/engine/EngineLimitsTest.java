package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.inmemory.InMemoryFileIO;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What bounds the engine, and how it stops. */
class EngineLimitsTest {
  private static final Schema SCHEMA =
      new Schema(
          NestedField.required(1, "id", Types.LongType.get()),
          NestedField.optional(2, "text", Types.StringType.get()));

  @TempDir Path directory;

  /** Batches of wide rows, made as they are pulled; ids fall, so that sorting has work. */
  private static final class Generated implements BatchSource, AutoCloseable {
    private final EngineHarness harness;
    private final int rowsPerBatch;
    private final int textBytes;
    private long left;
    private @Nullable VectorSchemaRoot current;

    Generated(EngineHarness harness, long rows, int rowsPerBatch, int textBytes) {
      this.harness = harness;
      this.left = rows;
      this.rowsPerBatch = rowsPerBatch;
      this.textBytes = textBytes;
    }

    @Override
    public @Nullable VectorSchemaRoot next() {
      close();
      if (left == 0) {
        return null;
      }
      int rows = (int) Math.min(left, rowsPerBatch);
      List<FieldVector> vectors =
          SCHEMA.columns().stream()
              .map(field -> ArrowBatches.field(field).createVector(harness.allocator))
              .toList();
      BigIntVector ids = (BigIntVector) vectors.get(0);
      VarCharVector texts = (VarCharVector) vectors.get(1);
      ids.allocateNew(rows);
      texts.allocateNew((long) rows * textBytes, rows);
      byte[] text = new byte[textBytes];
      for (int i = 0; i < rows; i++) {
        left--;
        ids.set(i, left);
        for (int k = 0; k < textBytes; k++) {
          text[k] = (byte) ('a' + ((left * 31 + (long) k * 7919) % 26 + 26) % 26);
        }
        texts.set(i, text);
      }
      ids.setValueCount(rows);
      texts.setValueCount(rows);
      current = new VectorSchemaRoot(vectors);
      current.setRowCount(rows);
      return current;
    }

    @Override
    public void close() {
      if (current != null) {
        current.close();
        current = null;
      }
    }
  }

  /** A table whose files go through another FileIO. */
  private static Table through(Table table, Consumer<String> beforeCreate) {
    FileIO io =
        new InMemoryFileIO() {
          @Override
          public OutputFile newOutputFile(String location) {
            beforeCreate.accept(location);
            return super.newOutputFile(location);
          }
        };
    return new BaseTable(((BaseTable) table).operations(), table.name()) {
      @Override
      public FileIO io() {
        return io;
      }
    };
  }

  @Test
  void anInstanceReachesNothingButItsDirectoryAndCannotBeUnlocked() throws Exception {
    Path outside = Files.writeString(directory.resolve("outside.csv"), "a\n1\n");
    Path inside = Files.createDirectories(directory.resolve("inside"));
    EngineSettings settings = new EngineSettings(inside, 64L << 20, 64L << 20, 1, 1);
    try (DuckSession session = DuckSession.open(settings, inside, inside.resolve("spill"))) {
      for (String sql :
          List.of(
              "SELECT * FROM read_csv(" + Sql.literal(outside.toString()) + ")",
              "COPY (SELECT 1) TO " + Sql.literal(directory.resolve("new.csv").toString()),
              "ATTACH " + Sql.literal(directory.resolve("new.db").toString()),
              "SET enable_external_access = true",
              "SET memory_limit = '10GB'",
              "SET lock_configuration = false",
              "SET allowed_directories = ['/']",
              "INSTALL httpfs",
              "LOAD httpfs")) {
        assertThrows(WingsException.class, () -> session.run(sql), sql);
      }
      session.run("COPY (SELECT 1) TO " + Sql.literal(inside.resolve("new.csv").toString()));
      Map<String, String> expected =
          Map.of(
              "memory_limit",
              "64.0 MiB",
              "max_temp_directory_size",
              "64.0 MiB",
              "threads",
              "1",
              "autoinstall_known_extensions",
              "false",
              "autoload_known_extensions",
              "false",
              "enable_external_access",
              "false",
              "lock_configuration",
              "true");
      expected.forEach((name, value) -> assertEquals(value, setting(session, name), name));
    }
  }

  private static String setting(DuckSession session, String name) {
    try {
      return session.query(
          "SELECT value FROM duckdb_settings() WHERE name = " + Sql.literal(name),
          results -> {
            assertTrue(results.next());
            return results.getString(1);
          });
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Trap 21: what a call holds doesn't grow with the number of partitions. */
  @Test
  void memoryAndDiskAreBoundedWhateverTheNumberOfPartitions() throws Exception {
    int partitions = 1_500;
    try (EngineHarness harness = new EngineHarness(directory, 64L << 20, 256L << 20);
        Generated rows = new Generated(harness, 60_000, 5_000, 40)) {
      PartitionSpec spec = PartitionSpec.builderFor(SCHEMA).bucket("id", partitions).build();
      AtomicInteger mostFiles = new AtomicInteger();
      Table table =
          through(
              harness.table(SCHEMA, spec, SortOrder.unsorted(), Map.of()),
              _ -> mostFiles.accumulateAndGet(harness.scratchFiles().size(), Math::max));
      AppendResult result = harness.engine.append(harness.target(table), rows);
      assertEquals(60_000, result.rows());
      assertEquals(partitions, result.files().size());
      assertTrue(mostFiles.get() < 20, () -> mostFiles + " files in scratch space at once");
      assertTrue(
          harness.allocator.getPeakMemoryAllocation() < 16L << 20,
          () -> harness.allocator.getPeakMemoryAllocation() + " bytes of Arrow memory");
    }
  }

  /** Trap 21: nor with the size of the input, which is sorted on disk in runs. */
  @Test
  void memoryAndDiskAreBoundedWhateverTheSizeOfTheInput() throws Exception {
    try (EngineHarness harness = new EngineHarness(directory, 64L << 20, 256L << 20);
        Generated rows = new Generated(harness, 400_000, 10_000, 300)) {
      SortOrder order = SortOrder.builderFor(SCHEMA).asc("id").build();
      Table table = harness.table(SCHEMA, PartitionSpec.unpartitioned(), order, Map.of());
      AppendResult result = harness.engine.append(harness.target(table), rows);
      assertEquals(400_000, result.rows());
      // 125 MB of rows in runs of 32 MiB.
      assertEquals(4, result.files().size());
      assertTrue(harness.allocator.getPeakMemoryAllocation() < 32L << 20);
      assertEquals(List.of(), harness.scratchFiles());
    }
  }

  @Test
  void tooSmallADiskIsAnErrorThatTheEngineSurvives() throws Exception {
    try (EngineHarness harness = new EngineHarness(directory, 64L << 20, 64L << 20)) {
      Table table = harness.table(SCHEMA);
      try (DuckSession session =
          DuckSession.open(
              new EngineSettings(directory, 64L << 20, 64L << 20, 1, 1),
              directory,
              Files.createDirectories(directory.resolve("spill")))) {
        WingsException full =
            assertThrows(
                WingsException.class,
                () ->
                    session.run(
                        "CREATE TEMP TABLE t AS SELECT repeat(md5(i::varchar), 20) AS x"
                            + " FROM range(1000000) r(i)"));
        assertEquals("engine-failed", full.code());
      }
      try (Generated rows = new Generated(harness, 10, 10, 10)) {
        assertEquals(10, harness.engine.append(harness.target(table), rows).rows());
      }
    }
  }

  @Test
  void aFailingSourceIsTheCauseAndTheEngineGoesOn() throws Exception {
    for (SortOrder order :
        List.of(SortOrder.unsorted(), SortOrder.builderFor(SCHEMA).asc("id").build())) {
      try (EngineHarness harness = new EngineHarness(directory)) {
        Table table = harness.table(SCHEMA, PartitionSpec.unpartitioned(), order, Map.of());
        for (Encoder encoder : Encoder.values()) {
          try (Generated rows = new Generated(harness, 100, 10, 10)) {
            AtomicInteger pulled = new AtomicInteger();
            IOException broken = new IOException("segment 7 is gone");
            BatchSource failing =
                () -> {
                  if (pulled.incrementAndGet() == 3) {
                    throw broken;
                  }
                  return rows.next();
                };
            WingsException error =
                assertThrows(
                    WingsException.class,
                    () -> harness.engine.append(harness.target(table), failing, encoder));
            assertEquals("engine-failed", error.code());
            assertEquals(broken, error.getCause());
            assertEquals(List.of(), harness.scratchFiles());
          }
          try (Generated rows = new Generated(harness, 10, 10, 10)) {
            assertEquals(10, harness.engine.append(harness.target(table), rows, encoder).rows());
          }
        }
      }
    }
  }

  @Test
  void aWingsErrorOfTheSourceComesOutAsItIs() throws Exception {
    try (EngineHarness harness = new EngineHarness(directory)) {
      WingsException own = WingsException.corrupt("segment-corrupt", "a CRC is wrong");
      BatchSource failing =
          () -> {
            throw own;
          };
      Table table = harness.table(SCHEMA);
      assertEquals(
          own,
          assertThrows(
              WingsException.class, () -> harness.engine.append(harness.target(table), failing)));
    }
  }

  @Test
  void aFailingUploadLeavesNoLocalFile() throws Exception {
    try (EngineHarness harness = new EngineHarness(directory)) {
      PartitionSpec spec = PartitionSpec.builderFor(SCHEMA).bucket("id", 20).build();
      AtomicInteger started = new AtomicInteger();
      Table table =
          through(
              harness.table(SCHEMA, spec, SortOrder.unsorted(), Map.of()),
              location -> {
                if (started.incrementAndGet() == 5) {
                  throw new IllegalStateException("the store is away");
                }
              });
      try (Generated rows = new Generated(harness, 1_000, 100, 10)) {
        WingsException error =
            assertThrows(
                WingsException.class, () -> harness.engine.append(harness.target(table), rows));
        assertEquals("upload-failed", error.code());
        assertInstanceOf(IllegalStateException.class, error.getCause());
      }
      assertEquals(List.of(), harness.scratchFiles());
    }
  }

  /** Interrupts a call while it waits for its source, writes, sorts or uploads. */
  @ParameterizedTest
  @ValueSource(strings = {"source", "streaming", "sorting", "upload"})
  void anInterruptStopsACallWhereverItIs(String where) throws Exception {
    try (EngineHarness harness = new EngineHarness(directory)) {
      SortOrder order =
          where.equals("sorting")
              ? SortOrder.builderFor(SCHEMA).asc("text").build()
              : SortOrder.unsorted();
      CountDownLatch reached = new CountDownLatch(1);
      CountDownLatch never = new CountDownLatch(1);
      Table plain = harness.table(SCHEMA, PartitionSpec.unpartitioned(), order, Map.of());
      Table table = where.equals("upload") ? through(plain, _ -> hang(reached, never)) : plain;
      try (Generated rows = new Generated(harness, 2_000_000, 20_000, 60)) {
        AtomicInteger pulled = new AtomicInteger();
        BatchSource source =
            () -> {
              int batch = pulled.incrementAndGet();
              return switch (where) {
                case "source" -> {
                  reached.countDown();
                  never.await();
                  yield null;
                }
                case "upload" -> batch < 3 ? rows.next() : null;
                default -> {
                  if (batch == (where.equals("sorting") ? 100 : 20)) {
                    reached.countDown();
                  }
                  yield rows.next();
                }
              };
            };
        AtomicReference<@Nullable Throwable> outcome = new AtomicReference<>();
        Thread caller =
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        harness.engine.append(harness.target(table), source);
                      } catch (InterruptedException | RuntimeException e) {
                        outcome.set(e);
                      }
                    });
        reached.await();
        caller.interrupt();
        caller.join();
        assertInstanceOf(InterruptedException.class, outcome.get());
      }
      assertEquals(List.of(), harness.scratchFiles());
      try (Generated rows = new Generated(harness, 10, 10, 10)) {
        assertEquals(10, harness.engine.append(harness.target(plain), rows).rows());
      }
    }
  }

  private static void hang(CountDownLatch reached, CountDownLatch never) {
    reached.countDown();
    try {
      never.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Trap 38, for scratch space: a tenant's paths begin with its name and don't outlive its turn.
   */
  @Test
  void scratchSpaceIsOneCatalogsAtATime() throws Exception {
    try (EngineHarness harness = new EngineHarness(directory)) {
      List<String> seen = new ArrayList<>();
      Table table =
          through(
              harness.table(SCHEMA),
              _ -> harness.scratchFiles().forEach(file -> seen.add(firstName(file))));
      for (String tenant : List.of("alpha", "beta")) {
        try (Generated rows = new Generated(harness, 10, 10, 10)) {
          harness.engine.append(
              new AppendTarget(new CatalogName(tenant), table, "pass-" + tenant), rows);
        }
      }
      assertEquals(List.of("alpha", "beta"), seen);
      try (var left = Files.list(directory)) {
        assertEquals(List.of("beta"), left.map(path -> path.getFileName().toString()).toList());
      }
    }
    try (var left = Files.list(directory)) {
      assertEquals(0, left.count());
    }
  }

  private String firstName(Path file) {
    return directory.relativize(file).getName(0).toString();
  }

  @Test
  void whatAnEarlierProcessLeftIsRemovedAtStart() throws Exception {
    Path left = Files.createDirectories(directory.resolve("gone/files")).resolve("x.parquet");
    Files.writeString(left, "old");
    try (EngineHarness harness = new EngineHarness(directory)) {
      assertEquals(List.of(), harness.scratchFiles());
    }
  }
}
