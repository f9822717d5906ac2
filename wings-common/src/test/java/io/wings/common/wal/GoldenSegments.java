package io.wings.common.wal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Segments of format version 1, as they are committed under {@code golden/wal-1}. Run {@link #main}
 * to write them anew, which is right only where a new version of the format begins, or where a new
 * version of zstd packs the same content otherwise.
 */
final class GoldenSegments {
  private static final ProducerKey NAMED = ProducerKey.named("ada", "orders/1");
  private static final ProducerKey UNNAMED = ProducerKey.unnamed("bob", "s-9f3a");
  private static final Instant WRITTEN = Instant.parse("2026-11-05T06:07:08.009Z");

  private GoldenSegments() {}

  /** File names and contents. */
  static Map<String, byte[]> all() {
    Map<String, byte[]> files = new LinkedHashMap<>();
    try (BufferAllocator allocator = new RootAllocator(64 << 20)) {
      files.put("entries.wal", entries(allocator).body().toBytes());
      files.put("types.wal", types(allocator).body().toBytes());
      files.put("checkpoint.wal", checkpoint().body().toBytes());
    }
    return files;
  }

  private static SegmentWriter writer(long number) {
    return new SegmentWriter(
        WalSamples.LANE, number, "f0e1d2c3b4a5968778695a4b3c2d1e0f", "ingestor-1", WRITTEN);
  }

  /** Number 3: every kind of entry, two schemas in turns. */
  static SegmentWriter.Segment entries(BufferAllocator allocator) {
    Schema counts =
        new Schema(List.of(WalSamples.field("n", new ArrowType.Int(32, true), 9, true)));
    BatchEncoder encoder = new BatchEncoder();
    SegmentWriter writer = writer(3);
    writer.entry(new EpochRecord(NAMED));
    writer.batch(UNNAMED, 2, 1, null, Operation.INSERT, WalSamples.encoded(allocator, 1, 4));
    try (VectorSchemaRoot root = WalSamples.ints(allocator, counts, 200)) {
      EncodedBatch ints = encoder.encode(encoder.encode(counts), root);
      writer.batch(NAMED, 3, 42, "kafka:3:98765", Operation.UPSERT, ints);
    }
    writer.entry(new RejectedEntry(NAMED, 3, 43, "row 7, column n: null"));
    writer.batch(UNNAMED, 2, 2, "", Operation.DELETE, WalSamples.encoded(allocator, 5, 0));
    writer.entry(new RulesRecord(new LaneRules(2048, 32, 512, 100, 32 << 20)));
    return writer.finish();
  }

  /** Number 4: one batch with a column of every kind. */
  static SegmentWriter.Segment types(BufferAllocator allocator) {
    BatchEncoder encoder = new BatchEncoder();
    SegmentWriter writer = writer(4);
    try (VectorSchemaRoot root = WalSamples.wide(allocator, 5)) {
      EncodedBatch batch = encoder.encode(encoder.encode(WalSamples.wide()), root);
      writer.batch(UNNAMED, 3, 1, null, Operation.INSERT, batch);
    }
    return writer.finish();
  }

  /** Number 256: a checkpoint and nothing else. */
  static SegmentWriter.Segment checkpoint() {
    ProducerState named =
        new ProducerState(
            NAMED,
            250,
            99,
            "kafka:3:98765",
            254,
            7,
            List.of(new SequenceRange(9, 9), new SequenceRange(20, 30)));
    ProducerState unnamed = new ProducerState(UNNAMED, 0, 1, null, 2, 0, List.of());
    SegmentWriter writer = writer(256);
    writer.checkpoint(
        new Checkpoint(
            255,
            LaneRules.DEFAULT,
            List.of(
                new Checkpoint.Space("", 1, List.of(unnamed)),
                new Checkpoint.Space("ada", 200, List.of(named)),
                new Checkpoint.Space("eve", 17, List.of()))));
    return writer.finish();
  }

  /** What a reader must make of a file, line by line. */
  static List<String> text(SegmentFooter footer, BatchCursor cursor) {
    List<String> lines = new ArrayList<>();
    lines.add("table " + footer.table());
    lines.add("incarnation " + footer.incarnation());
    lines.add("lane " + footer.lane());
    lines.add("number " + footer.number());
    lines.add("put_id " + footer.putId());
    lines.add("ingestor " + footer.ingestor());
    lines.add("written " + footer.written());
    footer.schemas().forEach(block -> lines.add("schema " + block));
    footer.entries().forEach(entry -> lines.add("entry " + entry));
    Checkpoint checkpoint = footer.checkpoint();
    if (checkpoint != null) {
      lines.add("checkpoint head " + checkpoint.head() + " " + checkpoint.rules());
      checkpoint.spaces().forEach(space -> lines.add("checkpoint " + space));
    }
    while (cursor.next()) {
      lines.add("batch of entry " + cursor.index() + " " + cursor.root().getSchema());
      WalSamples.text(cursor.root()).forEach(row -> lines.add("  " + row.strip()));
    }
    return lines;
  }

  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    Files.createDirectories(folder);
    for (Map.Entry<String, byte[]> file : all().entrySet()) {
      Files.write(folder.resolve(file.getKey()), file.getValue());
      Files.write(
          folder.resolve(file.getKey().replace(".wal", ".txt")),
          StoredSegment.read(file.getValue(), GoldenSegments::text));
    }
  }
}
