package io.wings.simulation;

import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.flight.BatchResult;
import io.wings.common.wal.BatchEntry;
import io.wings.common.wal.EpochRecord;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.RejectedEntry;
import io.wings.common.wal.RulesRecord;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentReader;
import io.wings.common.wal.WalEntry;
import io.wings.simulation.Book.Sent;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.SimulatedS3;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The log as it must be, kept apart from the code under test: numbers without a gap, each written
 * once; of every producer the sequences without a gap, in its newest epoch; and nothing answered
 * that the log doesn't hold.
 */
final class LogChecker implements SimulatedS3.Observer {
  private static final Pattern SEGMENT =
      Pattern.compile(
          "catalogs/([^/]+)/tables/([^/]+)/([0-9a-f]{32})/([0-9]{2})/([0-9]{20})\\.wal");

  /** One lane, as far as its log goes. */
  private static final class LaneLog {
    private final LaneId id;
    private final Map<ProducerKey, Numbered> producers = new HashMap<>();
    private final Map<String, Long> batches = new HashMap<>();
    private final Map<Long, Long> writtenAt = new HashMap<>();
    private long head;

    LaneLog(LaneId id) {
      this.id = id;
    }
  }

  private record Numbered(long epoch, long last) {}

  private final World world;
  private final SegmentReader reader;
  private final Map<LaneId, LaneLog> lanes = new HashMap<>();
  private long segments;

  LogChecker(World world) {
    this.world = world;
    this.reader = new SegmentReader(world.cluster().truth());
  }

  long segments() {
    return segments;
  }

  /** The last number of a lane, 0 before the first. */
  long head(String incarnation, int lane) {
    return lanes.values().stream()
        .filter(log -> log.id.incarnation().equals(incarnation) && log.id.lane() == lane)
        .mapToLong(log -> log.head)
        .max()
        .orElse(0);
  }

  @Override
  public void written(SimulatedProcess by, String key, byte[] bytes) {
    Matcher segment = SEGMENT.matcher(key);
    if (!segment.matches()) {
      return;
    }
    LaneId id = lane(segment);
    LaneLog log = lanes.computeIfAbsent(id, LaneLog::new);
    long number = Long.parseLong(segment.group(5));
    long boundary = world.boundaries().of(id);
    if (number <= boundary) {
      world.guards().count("zombie segment");
      return;
    }
    if (number != log.head + 1) {
      world.violated(
          "%s wrote segment %d of %s, whose head is %d".formatted(by.name(), number, id, log.head));
      return;
    }
    log.head = number;
    log.writtenAt.put(number, world.scheduler().now());
    segments++;
    try {
      SegmentFooter footer = reader.footer(id, number).orElseThrow();
      footer.entries().forEach(entry -> apply(log, number, entry));
    } catch (WingsException e) {
      world.violated("segment " + number + " of " + id + ": " + e.getMessage());
    }
  }

  private static LaneId lane(Matcher segment) {
    TableId table =
        new TableId(new CatalogName(segment.group(1)), UUID.fromString(segment.group(2)));
    return new LaneId(table, segment.group(3), Integer.parseInt(segment.group(4)));
  }

  private void apply(LaneLog log, long number, WalEntry entry) {
    switch (entry) {
      case BatchEntry batch -> {
        String token = String.valueOf(batch.token());
        log.batches.put(token.substring(0, token.indexOf('#')), number);
        decide(log, number, batch.producer(), batch.epoch(), batch.sequence());
      }
      case RejectedEntry rejected ->
          decide(log, number, rejected.producer(), rejected.epoch(), rejected.sequence());
      case EpochRecord(ProducerKey producer) -> {
        Numbered before = log.producers.getOrDefault(producer, new Numbered(0, 0));
        log.producers.put(producer, new Numbered(number, before.last));
      }
      case RulesRecord _ -> {}
    }
  }

  private void decide(LaneLog log, long number, ProducerKey producer, long epoch, long sequence) {
    Numbered before = log.producers.get(producer);
    if (before == null && !producer.named()) {
      before = new Numbered(epoch, 0);
    }
    if (before == null || before.epoch != epoch || before.last + 1 != sequence) {
      world.violated(
          "segment %d of lane %d has sequence %d in epoch %d of %s after %s"
              .formatted(number, log.id.lane(), sequence, epoch, producer, before));
      return;
    }
    log.producers.put(producer, new Numbered(epoch, sequence));
  }

  /** What was answered stored is in the log, at or below the position that was told. */
  void requireHas(Sent batch, BatchResult result) {
    for (LaneLog log : lanes.values()) {
      if (log.id.lane() == result.lane() && log.id.incarnation().equals(result.incarnation())) {
        Long at = log.batches.get(batch.token());
        if (at == null || at > result.position()) {
          world.violated(
              "%s was told %s at position %d, the log has it at %s"
                  .formatted(batch, result.status(), result.position(), at));
        }
        return;
      }
    }
    world.violated(batch + " was answered by a lane without a log: " + result);
  }

  /** Segments are deleted at or below the boundary only, and what is above the watermark never. */
  @Override
  public void deleted(SimulatedProcess by, String key) {
    Matcher segment = SEGMENT.matcher(key);
    if (!segment.matches()) {
      return;
    }
    LaneId id = lane(segment);
    long number = Long.parseLong(segment.group(5));
    world.guards().count("segment pruned");
    Long writtenAt = lanes.getOrDefault(id, new LaneLog(id)).writtenAt.remove(number);
    if (writtenAt != null
        && world.scheduler().now() - writtenAt < world.scenario().retention().toNanos()) {
      world.violated(by.name() + " deleted segment " + number + " before its time");
    }
    long boundary = world.boundaries().of(id);
    if (!world.table().is(id.table().uuid())) {
      return;
    }
    long watermark = world.table().watermark(id.lane());
    if (number > boundary || number > watermark) {
      world.violated(
          "%s deleted segment %d of %s with boundary %d and watermark %d"
              .formatted(by.name(), number, id, boundary, watermark));
    }
  }
}
