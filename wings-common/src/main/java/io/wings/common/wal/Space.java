package io.wings.common.wal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Producers that compete with each other for being remembered, least recently named first. */
final class Space {
  /** What a space costs beside its producers and principal, in bytes. */
  static final long FIXED_BYTES = 128;

  private final String principal;
  private final LinkedHashMap<ProducerKey, ProducerState> producers = new LinkedHashMap<>();
  private long horizon;
  private long bytes;

  Space(String principal) {
    this.principal = principal;
    this.bytes = FIXED_BYTES + Utf8.length(principal);
  }

  String principal() {
    return principal;
  }

  long horizon() {
    return horizon;
  }

  void horizon(long number) {
    horizon = number;
  }

  long bytes() {
    return bytes;
  }

  int size() {
    return producers.size();
  }

  @Nullable ProducerState get(ProducerKey key) {
    return producers.get(key);
  }

  /** Makes it the most recently named. */
  void name(ProducerState producer) {
    ProducerState before = producers.remove(producer.producer());
    if (before != null) {
      bytes -= before.bytes();
    }
    producers.put(producer.producer(), producer);
    bytes += producer.bytes();
  }

  /** Forgets the least recently named and raises the horizon to its last-seen number. */
  void evict() {
    Map.Entry<ProducerKey, ProducerState> oldest = producers.pollFirstEntry();
    bytes -= oldest.getValue().bytes();
    horizon = Math.max(horizon, oldest.getValue().lastSeen());
  }

  void trim(int maxRanges) {
    producers.replaceAll(
        (_, producer) -> {
          ProducerState trimmed = producer.trimmed(maxRanges);
          bytes += trimmed.bytes() - producer.bytes();
          return trimmed;
        });
  }

  Checkpoint.Space snapshot() {
    return new Checkpoint.Space(principal, horizon, List.copyOf(producers.values()));
  }
}
