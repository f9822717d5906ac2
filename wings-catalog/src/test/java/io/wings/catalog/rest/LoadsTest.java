package io.wings.catalog.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.io.KeepingFileIO;
import io.wings.catalog.io.LocalFileIO;
import io.wings.catalog.io.LocationPolicy;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadsTest {
  private static final long HEAP = 512L << 20;
  private static final int LARGE = 20 << 20;

  private final Path directory;
  private final KeepingFileIO files = new KeepingFileIO(new LocalFileIO(), LocationPolicy.any());
  private final Loads loads = Loads.ofHeap(HEAP);

  LoadsTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private String file(String name, int bytes) throws IOException {
    Path file = directory.resolve(name);
    try (OutputStream plain = Files.newOutputStream(file);
        OutputStream out = name.contains("gz") ? new GZIPOutputStream(plain) : plain) {
      out.write(new byte[bytes]);
    }
    return file.toString();
  }

  private int read(String location) {
    try (InputStream in = files.newInputFile(location).newStream()) {
      return in.readAllBytes().length;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.metadata.json", "a.gz.metadata.json"})
  void onePayersMetadataLeavesRoomForAnothers(String name) throws IOException {
    String large = file(name, LARGE);
    String small = file("small.metadata.json", 1_000);

    int _ =
        loads.within(
            "alice",
            () -> {
              int first = read(large);
              assertThatThrownBy(() -> loads.within("alice", () -> read(large)))
                  .isInstanceOf(WingsException.class)
                  .hasMessageStartingWith("too-much-metadata: ");
              assertThat(loads.<Integer>within("alice", () -> read(small))).isEqualTo(1_000);
              assertThat(loads.<Integer>within("bob", () -> read(large))).isPositive();
              return first;
            });

    assertThat(loads.<Integer>within("alice", () -> read(large))).as("given back").isPositive();
  }

  @Test
  void workOfItsOwnReadsWhatItNeeds() throws IOException {
    assertThat(read(file("a.metadata.json", 3 * LARGE))).isEqualTo(3 * LARGE);
  }
}
