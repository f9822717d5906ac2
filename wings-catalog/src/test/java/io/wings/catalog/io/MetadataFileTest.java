package io.wings.catalog.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.common.error.WingsException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.apache.iceberg.TableMetadataParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetadataFileTest {
  private static final byte[] CHUNK = " ".repeat(1024 * 1024).getBytes(StandardCharsets.UTF_8);

  private final Path directory;
  private final KeepingFileIO files = new KeepingFileIO(new LocalFileIO(), LocationPolicy.any());

  MetadataFileTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private String write(String name, int mebibytes) throws IOException {
    Path file = directory.resolve(name);
    try (OutputStream plain = new BufferedOutputStream(Files.newOutputStream(file));
        OutputStream out = name.contains("gz") ? new GZIPOutputStream(plain) : plain) {
      out.write('{');
      for (int i = 0; i < mebibytes; i++) {
        out.write(CHUNK);
      }
    }
    return file.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1.metadata.json", "v1.gz.metadata.json", "v1.metadata.json.gz"})
  void readsNoMoreOfMetadataThanItsLimit(String name) throws IOException {
    String location = write(name, MetadataFile.MAX_READ_BYTES / CHUNK.length);

    assertThatThrownBy(() -> TableMetadataParser.read(files, location))
        .isInstanceOf(WingsException.class)
        .hasMessageStartingWith("metadata-too-large: ")
        .hasMessageContaining("64 MiB");
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1.metadata.json", "v1.gz.metadata.json", "v1.metadata.json.gz"})
  void readsMetadataWithinTheLimit(String name) throws IOException {
    String location = write(name, 1);

    // It is only half an object, and Iceberg's parser is who says so.
    assertThatThrownBy(() -> TableMetadataParser.read(files, location))
        .hasStackTraceContaining("JsonEOFException");
  }

  @Test
  void otherFilesHaveNoLimit() throws IOException {
    String location = write("a.parquet", 65);

    try (var in = files.newInputFile(location).newStream()) {
      assertThat(in.readAllBytes()).hasSize(65 * CHUNK.length + 1);
    }
  }
}
