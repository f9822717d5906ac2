package io.wings.cli.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileBatchesTest {
  @TempDir private Path directory;

  /** A guess that drops lines would lose rows. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "id,city\n1,a\n2\n3,b,c\n",
        "id,city\n1,a\n2\n3,b\n",
        "id,city\n1,a\n2,b,c\n",
        "exported 2024\nid,city\n1,a\n"
      })
  void refusesACsvFileWhoseLinesDiffer(String content) throws IOException {
    Path file = Files.writeString(directory.resolve("ragged.csv"), content);
    WingsException error = assertThrows(WingsException.class, () -> rows(file));
    assertEquals("file-unreadable", error.code());
  }

  @ParameterizedTest
  @CsvSource({
    "a.csv,'id,city\n1,a\n2,\n',2",
    "a.tsv,'id\tcity\n1,\ta\n',1",
    "a.ndjson,'{\"a\":1}\n{\"a\":2}\n{}\n',3"
  })
  void readsEveryRow(String name, String content, int rows) throws IOException {
    assertEquals(rows, rows(Files.writeString(directory.resolve(name), content)));
  }

  @Test
  void refusesAFileThatIsNotThere() {
    WingsException error =
        assertThrows(WingsException.class, () -> rows(directory.resolve("none.csv")));
    assertEquals("file-not-found", error.code());
  }

  private static int rows(Path file) throws IOException {
    int rows = 0;
    try (BufferAllocator allocator = new RootAllocator();
        FileBatches batches = FileBatches.open(file, 1, allocator)) {
      while (batches.reader().loadNextBatch()) {
        rows += batches.reader().getVectorSchemaRoot().getRowCount();
      }
    }
    return rows;
  }
}
