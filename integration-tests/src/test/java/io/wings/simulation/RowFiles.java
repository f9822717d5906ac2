package io.wings.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.avro.DataWriter;
import org.apache.iceberg.data.avro.PlannedDataReader;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.Parquet;

/** Small data files, written and read by Iceberg's own writers and readers, on the caller. */
final class RowFiles {
  private RowFiles() {}

  /** One file for each partition of the table's spec, named {@code prefix-0} and so on. */
  static List<DataFile> write(Table table, String prefix, List<Record> rows, Scenario.Files format)
      throws IOException {
    PartitionKey key = new PartitionKey(table.spec(), table.schema());
    InternalRecordWrapper wrapper = new InternalRecordWrapper(table.schema().asStruct());
    Map<PartitionKey, List<Record>> partitions = new LinkedHashMap<>();
    for (Record row : rows) {
      key.partition(wrapper.wrap(row));
      List<Record> partition = partitions.get(key);
      if (partition == null) {
        partition = new ArrayList<>();
        partitions.put(key.copy(), partition);
      }
      partition.add(row);
    }
    List<DataFile> files = new ArrayList<>();
    for (Map.Entry<PartitionKey, List<Record>> partition : partitions.entrySet()) {
      String name = prefix + "-" + files.size();
      files.add(write(table, name, partition.getKey(), partition.getValue(), format));
    }
    return files;
  }

  private static DataFile write(
      Table table, String name, PartitionKey partition, List<Record> rows, Scenario.Files format)
      throws IOException {
    String extension = format == Scenario.Files.AVRO ? ".avro" : ".parquet";
    OutputFile out = table.io().newOutputFile(table.location() + "/data/" + name + extension);
    Schema schema = table.schema();
    org.apache.iceberg.io.DataWriter<Record> writer =
        switch (format) {
          case AVRO ->
              Avro.writeData(out)
                  .schema(schema)
                  .createWriterFunc(DataWriter::create)
                  .withSpec(table.spec())
                  .withPartition(partition)
                  .overwrite()
                  .build();
          case PARQUET, DUCKDB ->
              Parquet.writeData(out)
                  .schema(schema)
                  .createWriterFunc(message -> GenericParquetWriter.create(schema, message))
                  .withSpec(table.spec())
                  .withPartition(partition)
                  .overwrite()
                  .build();
        };
    try (writer) {
      writer.write(rows);
    }
    return writer.toDataFile();
  }

  /** A file's rows as {@code schema} has them, by field id. */
  static List<Record> read(FileIO io, DataFile file, Schema schema) {
    InputFile in = io.newInputFile(file.location());
    try (CloseableIterable<Record> records =
        switch (file.format()) {
          case AVRO ->
              Avro.read(in)
                  .project(schema)
                  .createResolvingReader(PlannedDataReader::<Record>create)
                  .<Record>build();
          case PARQUET ->
              Parquet.read(in)
                  .project(schema)
                  .createReaderFunc(of -> GenericParquetReaders.buildReader(schema, of))
                  .<Record>build();
          default -> throw new IllegalStateException("no reader of " + file.format());
        }) {
      List<Record> rows = new ArrayList<>();
      records.forEach(rows::add);
      return rows;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
