package io.wings.ingestor.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.Alignment;
import io.wings.catalog.table.ArrowSchemas;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.wal.BatchEncoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

/**
 * Good streams with something broken in them, each of which ends in a batch or in an error of the
 * sender's, with all memory free again. A batch that is taken can be read and encoded. The seed of
 * {@code -Dwings.fuzz.seed} and the count of {@code -Dwings.fuzz.rounds} are for longer runs.
 */
class FuzzTest {
  private static final StreamLimits LIMITS = StreamLimits.forSegment(1 << 22);
  private static final long SEED = Long.getLong("wings.fuzz.seed", 1);
  private static final int ROUNDS = Integer.getInteger("wings.fuzz.rounds", 20);

  @Test
  void survivesWhateverIsBroken() throws Exception {
    Random random = new Random(SEED);
    int refused = 0;
    int taken = 0;
    for (Path file : Corpus.files("arrow-integration", ".stream")) {
      List<Frames> frames = Frames.cut(Files.readAllBytes(file));
      for (int i = 0; i < ROUNDS; i++) {
        try (BufferAllocator allocator = new RootAllocator(1 << 26)) {
          read(broken(frames, random), allocator);
          taken++;
        } catch (WingsException e) {
          assertEquals(ErrorKind.INVALID, e.kind(), () -> file + ": " + e);
          refused++;
        } catch (RuntimeException | Error e) {
          throw new AssertionError(file + ", round " + i + " of seed " + SEED, e);
        }
      }
    }
    assertTrue(refused > taken / 4, refused + " refused, " + taken + " taken");
  }

  private static List<Frames> broken(List<Frames> frames, Random random) {
    List<Frames> copy = new ArrayList<>(frames);
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = random.nextInt(copy.size());
      Frames frame = copy.get(at);
      boolean header = random.nextInt(3) == 0 || !frame.body().hasRemaining();
      ByteBuffer changed = broken(header ? frame.header() : frame.body(), random);
      copy.set(
          at, header ? new Frames(changed, frame.body()) : new Frames(frame.header(), changed));
    }
    return copy;
  }

  private static ByteBuffer broken(ByteBuffer bytes, Random random) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    ByteBuffer out = ByteBuffer.wrap(copy).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = random.nextInt(3); i >= 0 && copy.length >= 8; i--) {
      int at = random.nextInt(copy.length - 7);
      switch (random.nextInt(5)) {
        case 0 -> out.put(at, (byte) random.nextInt());
        case 1 -> out.put(at, (byte) (out.get(at) ^ 1 << random.nextInt(8)));
        case 2 -> out.putInt(at & ~3, random.nextInt());
        case 3 -> out.putInt(at & ~3, random.nextBoolean() ? -1 : Integer.MAX_VALUE);
        default -> out.putLong(at & ~7, random.nextBoolean() ? random.nextInt(100) : -1L);
      }
    }
    return random.nextInt(20) == 0 ? out.slice(0, random.nextInt(copy.length + 1)) : out;
  }

  private static void read(List<Frames> frames, BufferAllocator allocator) {
    BatchEncoder encoder = new BatchEncoder();
    try (StreamDecoder decoder =
        StreamDecoder.open(frames.getFirst().header(), allocator, allocator, LIMITS)) {
      Alignment alignment =
          ArrowSchemas.align(decoder.schema(), ArrowSchemas.toIceberg(decoder.schema()));
      for (Frames frame : frames.subList(1, frames.size())) {
        try (StreamDecoder.Batch batch = Decoding.read(decoder, frame)) {
          if (batch != null) {
            try (VectorSchemaRoot root = batch.align(alignment)) {
              root.getFieldVectors().forEach(VectorValues::of);
              assertEquals(
                  root.getRowCount(),
                  encoder.encode(encoder.encode(alignment.target()), root).rows());
            }
          }
        }
      }
    }
  }
}
