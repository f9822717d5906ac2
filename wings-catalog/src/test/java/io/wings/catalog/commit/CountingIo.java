package io.wings.catalog.commit;

import java.util.List;
import java.util.Map;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Notes deletions that were asked for, and carries them out. */
final class CountingIo implements FileIO {
  private static final long serialVersionUID = 1L;

  private final transient FileIO inner;
  private final transient List<String> deletes;

  CountingIo(FileIO inner, List<String> deletes) {
    this.inner = inner;
    this.deletes = deletes;
  }

  @Override
  public InputFile newInputFile(String location) {
    return inner.newInputFile(location);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return inner.newOutputFile(location);
  }

  @Override
  public void deleteFile(String location) {
    deletes.add(location);
    inner.deleteFile(location);
  }

  @Override
  public Map<String, String> properties() {
    return Map.of();
  }
}
