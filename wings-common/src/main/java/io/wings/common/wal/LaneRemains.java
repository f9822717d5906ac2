package io.wings.common.wal;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import java.util.Iterator;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is left of a lane whose log may not be whole, found by listing: for people. Nothing here
 * throws for what can't be read; it is counted.
 *
 * @param head the highest number there is, at least the one after which was asked
 * @param segments above the number asked for
 * @param unreadable of these, segments whose footer can't be read
 * @param batches that the others hold, as far as footers were read
 * @param rows of these
 */
public record LaneRemains(
    long head, long segments, long bytes, long unreadable, long batches, long rows) {
  /** Footers that are read to count batches and rows. */
  static final int MAX_FOOTERS = 5_000;

  private static final Pattern SEGMENT = Pattern.compile("(\\d{20})\\.wal");

  /** Whether batches and rows are those of all segments. */
  public boolean complete() {
    return segments <= MAX_FOOTERS && unreadable == 0;
  }

  /**
   * Looks.
   *
   * @param after numbers above it are counted
   */
  public static LaneRemains of(ObjectStore store, LaneId lane, long after) {
    SegmentReader reader = new SegmentReader(store);
    LaneRemains remains = new LaneRemains(after, 0, 0, 0, 0, 0);
    Iterator<ObjectHead> listing = store.list(Keys.lane(lane), Keys.segment(lane, after));
    while (listing.hasNext()) {
      ObjectHead object = listing.next();
      Matcher matcher = SEGMENT.matcher(object.key().substring(Keys.lane(lane).length()));
      if (matcher.matches()) {
        remains = remains.with(reader, lane, Long.parseLong(matcher.group(1)), object.size());
      }
    }
    return remains;
  }

  private LaneRemains with(SegmentReader reader, LaneId lane, long number, long size) {
    boolean read = segments < MAX_FOOTERS;
    Optional<SegmentFooter> footer = read ? footer(reader, lane, number) : Optional.empty();
    return new LaneRemains(
        Math.max(head, number),
        segments + 1,
        bytes + size,
        unreadable + (read && footer.isEmpty() ? 1 : 0),
        batches + footer.map(f -> f.batches().size()).orElse(0),
        rows + footer.map(SegmentFooter::rows).orElse(0L));
  }

  private static Optional<SegmentFooter> footer(SegmentReader reader, LaneId lane, long number) {
    try {
      return reader.footer(lane, number);
    } catch (WingsException e) {
      if (e.kind() != ErrorKind.CORRUPT) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /**
   * What footers that can be read tell of a lane's memory.
   *
   * @param principals who named producers
   * @param rules the last that were read
   */
  public record Memory(NavigableSet<String> principals, LaneRules rules) {}

  /** Reads the newest checkpoint above the boundary that can be read, and what follows it. */
  public static Memory memory(ObjectStore store, LaneId lane, long boundary, long head) {
    SegmentReader reader = new SegmentReader(store);
    long from = head - head % SegmentFooter.CHECKPOINT_EVERY;
    while (from > boundary && footer(reader, lane, from).isEmpty()) {
      from -= SegmentFooter.CHECKPOINT_EVERY;
    }
    NavigableSet<String> principals = new TreeSet<>();
    LaneRules rules = LaneRules.DEFAULT;
    for (long number = Math.max(from, boundary + 1); number <= head; number++) {
      Optional<SegmentFooter> footer = footer(reader, lane, number);
      if (footer.isPresent()) {
        rules = remember(footer.get(), principals, rules);
      }
    }
    return new Memory(principals, rules);
  }

  private static LaneRules remember(
      SegmentFooter footer, NavigableSet<String> principals, LaneRules before) {
    LaneRules rules = before;
    Checkpoint checkpoint = footer.checkpoint();
    if (checkpoint != null) {
      rules = checkpoint.rules();
      checkpoint.spaces().stream()
          .map(Checkpoint.Space::principal)
          .filter(principal -> !principal.isEmpty())
          .forEach(principals::add);
    }
    for (WalEntry entry : footer.entries()) {
      switch (entry) {
        case BatchEntry batch -> add(batch.producer(), principals);
        case RejectedEntry rejected -> add(rejected.producer(), principals);
        case EpochRecord epoch -> add(epoch.producer(), principals);
        case RulesRecord changed -> rules = changed.rules();
      }
    }
    return rules;
  }

  private static void add(ProducerKey producer, NavigableSet<String> principals) {
    if (producer.named()) {
      principals.add(producer.principal());
    }
  }
}
