package io.wings.worker.materialize;

import io.wings.worker.engine.AppendResult;
import io.wings.worker.engine.AppendTarget;
import io.wings.worker.engine.BatchSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;

/** Stands for the data engine: remembers the ids of each file instead of writing it. */
public final class RecordingWriter implements RowWriter {
  private static final int ROWS_PER_FILE = 100;

  private final Map<String, List<Long>> files = new HashMap<>();
  private int calls;

  @Override
  public AppendResult append(AppendTarget target, BatchSource batches) throws InterruptedException {
    calls++;
    List<Long> ids = new ArrayList<>();
    try {
      for (VectorSchemaRoot root = batches.next(); root != null; root = batches.next()) {
        BigIntVector column = (BigIntVector) root.getVector("id");
        for (int row = 0; row < root.getRowCount(); row++) {
          ids.add(column.get(row));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<DataFile> written = new ArrayList<>();
    for (int from = 0; from < ids.size(); from += ROWS_PER_FILE) {
      List<Long> part = List.copyOf(ids.subList(from, Math.min(ids.size(), from + ROWS_PER_FILE)));
      written.add(file(target, part, written.size()));
    }
    return new AppendResult(written, ids.size());
  }

  private DataFile file(AppendTarget target, List<Long> ids, int number) {
    String path =
        target
            .table()
            .locationProvider()
            .newDataLocation("%s-%d.parquet".formatted(target.filePrefix(), number));
    files.put(path, ids);
    return DataFiles.builder(target.table().spec())
        .withPath(path)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(10)
        .withRecordCount(ids.size())
        .build();
  }

  /** Ids in a file that this wrote. */
  List<Long> ids(String path) {
    return files.getOrDefault(path, List.of());
  }

  /** Files that this wrote. */
  public Set<String> paths() {
    return Set.copyOf(files.keySet());
  }

  int calls() {
    return calls;
  }
}
