package io.wings.loadbalancer.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.wings.common.flight.StreamRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The log that all ingestors of a model share: what is stored, by producer. */
final class SharedLog {
  /** Batches whose payload has this are refused by whoever reads them. */
  static final String BAD = "!";

  final List<String> stored = new ArrayList<>();
  private final Map<String, Long> epochs = new HashMap<>();
  private final Map<String, Long> last = new HashMap<>();
  private final Set<String> rejected = new HashSet<>();
  private long head = 7;

  /** Whether nothing was ever taken. */
  boolean isEmpty() {
    return last.isEmpty();
  }

  long head() {
    return head;
  }

  /** The epoch of a stream that opens: the one that it comes with, or had, or the head. */
  long epoch(StreamRequest asked) {
    StreamRequest.Resumption resumption = asked.resumption();
    Long given = asked.epoch();
    if (given != null) {
      return given;
    }
    if (resumption != null && resumption.opened() != null) {
      return resumption.opened().epoch();
    }
    Long known = epoch(asked.producer());
    return known == null ? head : known;
  }

  @Nullable Long epoch(String producer) {
    return epochs.get(producer);
  }

  /** As a lane does; whether the sequence is new, and consumed now. */
  boolean append(String producer, long epoch, long sequence, String payload) {
    long known = last.getOrDefault(producer, 0L);
    if (known > 0) {
      assertEquals(epochs.get(producer), epoch, "a producer keeps its epoch");
    }
    if (sequence <= known) {
      return false;
    }
    assertEquals(known + 1, sequence, "no gap");
    epochs.put(producer, epoch);
    last.put(producer, sequence);
    if (payload.contains(BAD)) {
      rejected.add(producer + "/" + sequence);
    } else {
      stored.add(payload);
    }
    // Some batches share a segment.
    head += sequence % 3 == 0 ? 0 : 1;
    return true;
  }

  boolean isRejected(String producer, long sequence) {
    return rejected.contains(producer + "/" + sequence);
  }
}
