package io.wings.cli.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
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
    assertEquals("file-unreadable", refusal(file).code());
  }

  @ParameterizedTest
  @CsvSource({
    "a.csv,'id,city\n1,a\n2,\n',2",
    "a.csv,'id,city\n',0",
    "a.csv,',city\n1,a\n',1",
    "a.tsv,'id\tcity\n1,\ta\n',1",
    "a.ndjson,'{\"a\":1}\n{\"a\":2}\n{}\n',3"
  })
  void readsEveryRow(String name, String content, int rows) throws IOException {
    assertEquals(rows, rows(Files.writeString(directory.resolve(name), content)));
  }

  @Test
  void refusesAFileThatIsNotThere() {
    assertEquals("file-not-found", refusal(directory.resolve("none.csv")).code());
  }

  @Test
  void saysThatADirectoryIsOne() {
    assertEquals("file-is-directory", refusal(directory).code());
  }

  @ParameterizedTest
  @ValueSource(strings = {"id,city\n1,Köln\n", "id,cité\n1,a\n"})
  void saysThatAFileInLatin1IsToBeConverted(String content) throws IOException {
    Path file = Files.writeString(directory.resolve("a.csv"), content, StandardCharsets.ISO_8859_1);
    WingsException error = refusal(file);
    assertEquals("file-unreadable", error.code());
    assertTrue(error.toString().contains("iconv"), error.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.csv", "a.ndjson", "a.parquet", "a.arrow", "a"})
  void refusesAFileWithoutABytes(String name) throws IOException {
    assertEquals("file-empty", refusal(Files.createFile(directory.resolve(name))).code());
  }

  @ParameterizedTest
  @ValueSource(strings = {"id,city,id\n1,a,2\n", "id,ID\n1,2\n", "\"a\",\"a\"\n"})
  void refusesACsvFileWithTwoColumnsOfOneName(String content) throws IOException {
    Path file = Files.writeString(directory.resolve("twice.csv"), content);
    assertEquals("column-name-ambiguous", refusal(file).code());
  }

  @Test
  void readsParquetWhoseNestedFieldsShareNames() throws IOException, SQLException {
    Path file = parquet("SELECT {'a': 1, 'b': {'a': 2}} AS a, {'a': 3} AS b", "");
    assertEquals(1, rows(file));
  }

  @Test
  void refusesADurationInParquetInsteadOfLoadingItAsANumber() throws IOException, SQLException {
    Field duration = Field.nullable("d", new ArrowType.Duration(TimeUnit.MICROSECOND));
    Field nested = new Field("s", FieldType.nullable(new ArrowType.Struct()), List.of(duration));
    String schema =
        Base64.getEncoder().encodeToString(new Schema(List.of(nested)).serializeAsMessage());
    Path file = parquet("SELECT {'d': 7::BIGINT} AS s", "ARROW:schema': '" + schema);
    WingsException error = refusal(file);
    assertEquals("type-unsupported", error.code());
    assertTrue(String.valueOf(error.getMessage()).contains("\"d\" is Duration"));
  }

  @Test
  void cutsWideRowsByTheirBytes() throws IOException, SQLException {
    Path file =
        parquet("SELECT i AS id, repeat('x', 800 + i % 100) AS text FROM range(30000) t(i)", "");
    List<Integer> cuts = cuts(file, 30_000);
    assertTrue(cuts.size() > 2, () -> "cut into " + cuts);
    assertEquals(30_000, cuts.stream().mapToInt(Integer::intValue).sum());
    assertEquals(cuts, cuts(file, 30_000), "a run that resumes must count the same batches");
  }

  private static List<Integer> cuts(Path file, int batchRows) throws IOException {
    List<Integer> cuts = new ArrayList<>();
    long next = 0;
    try (BufferAllocator allocator = new RootAllocator();
        FileBatches batches = FileBatches.open(file, batchRows, allocator)) {
      while (batches.next()) {
        VectorSchemaRoot root = batches.root();
        long bytes = root.getFieldVectors().stream().mapToLong(FieldVector::getBufferSize).sum();
        assertTrue(bytes <= BatchCuts.MAX_PART_BYTES + 4096, () -> "a part of " + bytes);
        for (int row = 0; row < root.getRowCount(); row++) {
          assertEquals(next, root.getVector("id").getObject(row));
          int length = String.valueOf(root.getVector("text").getObject(row)).length();
          assertEquals(800 + next % 100, length);
          next++;
        }
        cuts.add(root.getRowCount());
      }
    }
    return cuts;
  }

  @Test
  void sendsARowThatIsTooLargeAloneForTheServerToJudge() throws IOException, SQLException {
    Path file = parquet("SELECT repeat('x', 9000000) AS text FROM range(3)", "");
    assertEquals(3, rows(file));
  }

  @Test
  void decodesDictionariesAtAnyDepthAsTheyWereForEachBatch() throws IOException {
    Path file = directory.resolve("words.arrows");
    writeWithReplacedDictionary(file);
    List<String> words = new ArrayList<>();
    try (BufferAllocator allocator = new RootAllocator();
        FileBatches batches = FileBatches.open(file, 1, allocator)) {
      Field word = batches.schema().findField("s").getChildren().getFirst();
      assertEquals(new ArrowType.Utf8(), word.getType());
      while (batches.next()) {
        for (int row = 0; row < batches.root().getRowCount(); row++) {
          words.add(String.valueOf(batches.root().getVector("s").getObject(row)));
        }
      }
    }
    assertEquals(List.of("{\"word\":\"ab\"}", "{\"word\":\"cd\"}"), words);
  }

  /**
   * Two batches of one row, index 0 of a dictionary in a struct, which is replaced between them.
   */
  private static void writeWithReplacedDictionary(Path file) throws IOException {
    DictionaryEncoding encoding = new DictionaryEncoding(1, false, null);
    Field index =
        new Field("word", new FieldType(true, new ArrowType.Int(32, true), encoding), List.of());
    Field struct = new Field("s", FieldType.nullable(new ArrowType.Struct()), List.of(index));
    try (BufferAllocator allocator = new RootAllocator();
        VarCharVector words = new VarCharVector("word", allocator);
        VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(List.of(struct)), allocator);
        OutputStream out = Files.newOutputStream(file)) {
      words.setSafe(0, "ab".getBytes(StandardCharsets.UTF_8));
      words.setValueCount(1);
      DictionaryProvider dictionaries =
          new DictionaryProvider.MapDictionaryProvider(new Dictionary(words, encoding));
      StructVector vector = (StructVector) root.getVector("s");
      vector.setIndexDefined(0);
      ((IntVector) vector.getChildrenFromFields().getFirst()).setSafe(0, 0);
      vector.setValueCount(1);
      root.setRowCount(1);
      try (ArrowStreamWriter writer =
          new ArrowStreamWriter(root, dictionaries, Channels.newChannel(out))) {
        writer.writeBatch();
        words.setSafe(0, "cd".getBytes(StandardCharsets.UTF_8));
        writer.writeBatch();
      }
    }
  }

  @Test
  void saysHowFarItGotInAFileThatIsCutOff() throws IOException {
    Path file = directory.resolve("whole.arrows");
    writeWithReplacedDictionary(file);
    byte[] whole = Files.readAllBytes(file);
    Path cut = directory.resolve("cut.arrows");
    Files.write(cut, Arrays.copyOf(whole, whole.length - 40));
    WingsException error = refusal(cut);
    assertEquals("file-unreadable", error.code());
    assertTrue(String.valueOf(error.getMessage()).contains("(after 1 rows)"), error::getMessage);
  }

  private Path parquet(String query, String metadata) throws SQLException {
    Path file = directory.resolve("file.parquet");
    String options = metadata.isEmpty() ? "" : ", KV_METADATA {'" + metadata + "'}";
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("COPY (" + query + ") TO '" + file + "' (FORMAT parquet" + options + ")");
    }
    return file;
  }

  private static WingsException refusal(Path file) {
    return assertThrows(WingsException.class, () -> rows(file));
  }

  private static int rows(Path file) throws IOException {
    int rows = 0;
    try (BufferAllocator allocator = new RootAllocator();
        FileBatches batches = FileBatches.open(file, 1, allocator)) {
      while (batches.next()) {
        rows += batches.root().getRowCount();
      }
    }
    return rows;
  }
}
