package io.wings.ingestor.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.wings.catalog.table.Alignment;
import io.wings.catalog.table.ArrowSchemas;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

/** Streams that crashed or hung some Arrow reader once. */
class HostileFilesTest {
  private static final StreamLimits LIMITS = StreamLimits.forSegment(1 << 26);

  @Test
  void refusesEveryHostileStreamAndKeepsNoMemory() throws Exception {
    List<String> accepted = new ArrayList<>();
    for (Path file : Corpus.files("arrow-hostile", "")) {
      try (BufferAllocator allocator = new RootAllocator(1 << 28)) {
        int batches = readAll(file, allocator);
        accepted.add(file.getFileName() + ": " + batches + " batches");
      } catch (WingsException e) {
        assertEquals(ErrorKind.INVALID, e.kind(), file.toString());
      }
    }
    assertEquals(List.of(), accepted);
  }

  private static int readAll(Path file, BufferAllocator allocator) throws Exception {
    List<Frames> frames = Frames.cut(Files.readAllBytes(file));
    int batches = 0;
    try (StreamDecoder decoder =
        StreamDecoder.open(frames.getFirst().header(), allocator, allocator, LIMITS)) {
      Alignment alignment =
          ArrowSchemas.align(decoder.schema(), ArrowSchemas.toIceberg(decoder.schema()));
      for (Frames frame : frames.subList(1, frames.size())) {
        try (StreamDecoder.Batch read = Decoding.read(decoder, frame)) {
          if (read != null) {
            try (VectorSchemaRoot _ = read.align(alignment)) {
              batches++;
            }
          }
        }
      }
    }
    return batches;
  }
}
