package io.wings.ingestor.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.Alignment;
import io.wings.catalog.table.ArrowSchemas;
import io.wings.common.error.WingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** Every type family of Arrow's own integration files: taken exactly, or refused clearly. */
class IntegrationFilesTest {
  private static final StreamLimits LIMITS = StreamLimits.forSegment(1 << 26);

  /** Codes of the columns and files that are refused; every other one is read. */
  private static final Map<String, String> REFUSED =
      Map.of(
          "union", "type-unsupported",
          "interval", "type-unsupported",
          "interval_mdn", "type-unsupported",
          "duration", "type-unsupported",
          "duplicate_fieldnames", "column-duplicate");

  @Test
  void readsEveryAcceptedTypeExactly() throws Exception {
    Map<String, String> refused = new TreeMap<>();
    List<String> columns = new ArrayList<>();
    for (Path file : Corpus.files("arrow-integration", ".stream")) {
      String family = file.getFileName().toString().replaceAll("generated_|\\.stream", "");
      try (BufferAllocator allocator = new RootAllocator(1 << 28)) {
        readAll(file, allocator, columns);
      } catch (WingsException e) {
        assertTrue(String.valueOf(e.getMessage()).contains("column \""), e.getMessage());
        refused.put(family, e.code());
      }
    }
    assertEquals(new TreeMap<>(REFUSED), refused);
    assertTrue(columns.stream().filter(c -> c.startsWith("read ")).count() > 200, "columns read");
    List<String> whole = columns.stream().filter(c -> c.startsWith("refused ")).toList();
    assertTrue(
        whole.stream().allMatch(c -> c.contains("Time(NANOSECOND") || c.contains("Decimal(")),
        whole.toString());
  }

  private static void readAll(Path file, BufferAllocator allocator, List<String> columns)
      throws Exception {
    List<Frames> frames = Frames.cut(Files.readAllBytes(file));
    GoldenValues golden = new GoldenValues(file);
    int batch = 0;
    try (StreamDecoder decoder =
        StreamDecoder.open(frames.getFirst().header(), allocator, allocator, LIMITS)) {
      for (Frames frame : frames.subList(1, frames.size())) {
        try (StreamDecoder.Batch read = Decoding.read(decoder, frame)) {
          if (read != null) {
            compare(decoder.schema(), read, golden, batch++, file, columns);
          }
        }
      }
    }
    assertEquals(golden.batches(), batch);
  }

  private static void compare(
      Schema schema,
      StreamDecoder.Batch read,
      GoldenValues golden,
      int batch,
      Path file,
      List<String> columns) {
    for (int i = 0; i < schema.getFields().size(); i++) {
      Field field = schema.getFields().get(i);
      Alignment alone;
      try {
        Schema one = new Schema(List.of(field));
        alone = ArrowSchemas.align(one, ArrowSchemas.toIceberg(one));
      } catch (WingsException e) {
        assertEquals("type-unsupported", e.code());
        columns.add("refused " + field.getType());
        continue;
      }
      Alignment.Column.Taken taken = (Alignment.Column.Taken) alone.columns().getFirst();
      Alignment alignment =
          new Alignment(
              alone.target(),
              List.of(new Alignment.Column.Taken(taken.target(), i, taken.conversion())));
      try (VectorSchemaRoot root = read.align(alignment)) {
        assertEquals(
            golden.column(batch, i), VectorValues.of(root.getVector(0)), file + " " + field);
      }
      columns.add("read " + field);
    }
  }
}
