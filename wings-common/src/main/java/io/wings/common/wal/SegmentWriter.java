package io.wings.common.wal;

import io.wings.common.cluster.LaneId;
import io.wings.common.objectstore.Body;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds one segment: entries in log order, their batches grouped by schema. Not safe for use by
 * several threads.
 */
public final class SegmentWriter {
  /** Entries that a segment can hold. */
  public static final int MAX_ENTRIES = WalFormat.MAX_ENTRIES;

  private final LaneId lane;
  private final long number;
  private final String putId;
  private final String ingestor;
  private final Instant written;
  private final List<Item> items = new ArrayList<>();
  private final Map<EncodedSchema, List<EncodedBatch>> groups = new LinkedHashMap<>();
  private @Nullable Checkpoint checkpoint;

  /** An entry, with the batch whose block is still to be placed. */
  private record Item(WalEntry entry, @Nullable EncodedBatch batch) {}

  /**
   * @param putId 32 hexadecimal digits, fresh for this segment
   * @param ingestor the writer's name, for people
   * @param now the writer's wall clock
   */
  public SegmentWriter(LaneId lane, long number, String putId, String ingestor, Instant now) {
    this.lane = lane;
    this.number = number;
    this.putId = putId;
    this.ingestor = ingestor;
    this.written = now.truncatedTo(ChronoUnit.MILLIS);
  }

  public void batch(
      ProducerKey producer,
      long epoch,
      long sequence,
      @Nullable String token,
      Operation operation,
      EncodedBatch batch) {
    groups.computeIfAbsent(batch.schema(), _ -> new ArrayList<>()).add(batch);
    Block unplaced = new Block(0, batch.size(), batch.crc32c());
    items.add(
        new Item(
            new BatchEntry(
                producer,
                epoch,
                sequence,
                token,
                operation,
                batch.rows(),
                batch.rawBytes(),
                0,
                unplaced),
            batch));
  }

  /** Adds an entry without data. */
  public void entry(WalEntry entry) {
    if (entry instanceof BatchEntry) {
      throw new IllegalArgumentException("a batch comes with its data");
    }
    items.add(new Item(entry, null));
  }

  /** The state before this number; needed exactly where {@link SegmentFooter} says so. */
  public void checkpoint(Checkpoint state) {
    checkpoint = state;
  }

  /** Entries so far. */
  public int size() {
    return items.size();
  }

  /** Ends the segment. */
  public Segment finish() {
    if (items.size() > MAX_ENTRIES) {
      throw new IllegalStateException("a segment has at most " + MAX_ENTRIES + " entries");
    }
    List<ByteBuffer> parts = new ArrayList<>();
    parts.add(ByteBuffer.wrap(WalFormat.header()));
    long offset = WalFormat.HEADER_BYTES;
    List<Block> schemas = new ArrayList<>();
    Map<EncodedSchema, Placed> placed = new LinkedHashMap<>();
    for (Map.Entry<EncodedSchema, List<EncodedBatch>> group : groups.entrySet()) {
      byte[] message = group.getKey().message();
      schemas.add(new Block(offset, message.length, WalFormat.crc32c(message, 0, message.length)));
      parts.add(ByteBuffer.wrap(message));
      offset += message.length;
      placed.put(group.getKey(), new Placed(schemas.size() - 1, offset));
      for (EncodedBatch batch : group.getValue()) {
        parts.add(ByteBuffer.wrap(batch.message()));
        offset += batch.size();
      }
    }
    SegmentFooter footer = footer(schemas, placed);
    byte[] bytes = FooterCodec.encode(footer);
    parts.add(ByteBuffer.wrap(bytes));
    parts.add(ByteBuffer.wrap(WalFormat.trailer(bytes)));
    return new Segment(footer, Body.of(parts));
  }

  private SegmentFooter footer(List<Block> schemas, Map<EncodedSchema, Placed> placed) {
    List<WalEntry> entries = new ArrayList<>(items.size());
    for (Item item : items) {
      EncodedBatch batch = item.batch();
      entries.add(
          batch != null && item.entry() instanceof BatchEntry entry
              ? Objects.requireNonNull(placed.get(batch.schema())).place(entry)
              : item.entry());
    }
    return new SegmentFooter(
        lane.table().uuid(),
        lane.incarnation(),
        lane.lane(),
        number,
        putId,
        ingestor,
        written,
        schemas,
        entries,
        checkpoint);
  }

  /** Where the next batch of a schema is. */
  private static final class Placed {
    private final int schema;
    private long next;

    private Placed(int schema, long next) {
      this.schema = schema;
      this.next = next;
    }

    private BatchEntry place(BatchEntry entry) {
      Block block = new Block(next, entry.block().length(), entry.block().crc32c());
      next = block.end();
      return new BatchEntry(
          entry.producer(),
          entry.epoch(),
          entry.sequence(),
          entry.token(),
          entry.operation(),
          entry.rows(),
          entry.rawBytes(),
          schema,
          block);
    }
  }

  /** A finished segment: what to put, and what a reader will find in its footer. */
  public record Segment(SegmentFooter footer, Body body) {}
}
