package io.wings.worker.engine;

import io.wings.common.cluster.CatalogName;
import io.wings.common.time.Time;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/** An engine, a catalog in memory, and exact comparison of rows. */
final class EngineHarness implements AutoCloseable {
  static final CatalogName TENANT = new CatalogName("tenant");
  private static final AtomicInteger PASSES = new AtomicInteger();
  private static final Namespace SPACE = Namespace.of("space");

  final BufferAllocator allocator = new RootAllocator();
  final InMemoryCatalog catalog = new InMemoryCatalog();
  final Path directory;
  final DataEngine engine;
  private int tables;

  EngineHarness(Path directory) {
    this(directory, 256L << 20, 1L << 30);
  }

  EngineHarness(Path directory, long memoryBytes, long diskBytes) {
    this.directory = directory;
    this.engine =
        DataEngine.open(
            new EngineSettings(directory, memoryBytes, diskBytes, 1, 4),
            allocator,
            Time.system(),
            (name, task) -> Thread.ofPlatform().name(name).start(task));
    // Files in memory are kept per process: each harness has its own warehouse.
    catalog.initialize("memory", Map.of("warehouse", "/" + directory.getFileName()));
    catalog.createNamespace(SPACE);
  }

  Table table(Schema schema) {
    return table(schema, PartitionSpec.unpartitioned(), SortOrder.unsorted(), Map.of());
  }

  /** A table of format version 3. */
  Table table(Schema schema, PartitionSpec spec, SortOrder order, Map<String, String> properties) {
    return catalog
        .buildTable(TableIdentifier.of(SPACE, "t" + ++tables), schema)
        .withPartitionSpec(spec)
        .withSortOrder(order)
        .withProperty("format-version", "3")
        .withProperties(properties)
        .create();
  }

  AppendTarget target(Table table) {
    return new AppendTarget(TENANT, table, "pass-" + PASSES.incrementAndGet());
  }

  AppendResult append(Table table, List<VectorSchemaRoot> batches) {
    return append(table, batches, null);
  }

  AppendResult append(Table table, List<VectorSchemaRoot> batches, @Nullable Encoder forced) {
    try {
      return engine.append(target(table), ArrowBatches.source(batches), forced);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Appends rows of the table's current schema and commits them. */
  AppendResult write(Table table, List<Record> rows) {
    try (VectorSchemaRoot batch = ArrowBatches.batch(table.schema(), rows, allocator)) {
      AppendResult result = append(table, List.of(batch));
      commit(table, result);
      return result;
    }
  }

  void commit(Table table, AppendResult result) {
    AppendFiles append = table.newAppend();
    for (DataFile file : result.files()) {
      append.appendFile(file);
    }
    append.commit();
  }

  List<String> read(Table table) {
    return read(table, Expressions.alwaysTrue());
  }

  /** All rows that a stock reader sees, as sorted text that is equal only for equal values. */
  List<String> read(Table table, Expression filter) {
    try (CloseableIterable<Record> rows = IcebergGenerics.read(table).where(filter).build()) {
      List<Record> all = new ArrayList<>();
      rows.forEach(all::add);
      return texts(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> texts(List<Record> rows) {
    return rows.stream().map(EngineHarness::text).sorted().toList();
  }

  static String text(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case ByteBuffer bytes -> {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        yield "0x" + HexFormat.of().formatHex(copy);
      }
      case byte[] bytes -> "0x" + HexFormat.of().formatHex(bytes);
      case String text -> '"' + text + '"';
      case BigDecimal decimal -> decimal.unscaledValue() + "e" + decimal.scale();
      case List<?> list -> list.stream().map(EngineHarness::text).toList().toString();
      case Map<?, ?> map -> {
        Map<String, String> sorted = new TreeMap<>();
        map.forEach((k, v) -> sorted.put(text(k), text(v)));
        yield sorted.toString();
      }
      case Record row -> {
        List<String> fields = new ArrayList<>();
        for (Types.NestedField field : row.struct().fields()) {
          fields.add(field.name() + "=" + text(row.getField(field.name())));
        }
        yield fields.toString();
      }
      default -> value.toString();
    };
  }

  /**
   * What is in scratch space, besides DuckDB's own spill files; others may come and go meanwhile.
   */
  List<Path> scratchFiles() {
    List<Path> files = new ArrayList<>();
    collect(directory.toFile(), files);
    return files;
  }

  private static void collect(File directory, List<Path> files) {
    File[] entries = directory.listFiles(entry -> !entry.getName().equals("spill"));
    for (File entry : entries == null ? new File[0] : entries) {
      if (entry.isDirectory()) {
        collect(entry, files);
      } else {
        files.add(entry.toPath());
      }
    }
  }

  static List<Record> list(Record... rows) {
    return Arrays.asList(rows);
  }

  @Override
  public void close() throws IOException {
    engine.close();
    catalog.close();
    allocator.close();
  }
}
