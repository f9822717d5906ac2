package io.wings.loadbalancer.proxy;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.wings.common.flight.StreamMove;
import java.util.Locale;

/** What the proxy counts. */
final class ProxyMetrics {
  private final MeterRegistry registry;
  final Counter streams;
  final Counter frames;
  final Counter bytes;
  final Counter results;
  final Counter unauthenticated;
  final Counter resent;
  final Counter reopened;
  final Counter deaths;
  final Counter outlived;
  final Counter suspects;
  final Counter full;

  ProxyMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.streams = counter("streams", "DoPut streams opened at an ingestor");
    this.frames = counter("frames", "frames passed to ingestors");
    this.bytes = counter("bytes", "bytes of frames passed to ingestors");
    this.results = counter("results", "results passed to clients");
    this.resent =
        counter("resent", "frames passed to an ingestor after another had died with them");
    this.reopened = counter("reopened", "times that a stream was opened at a further ingestor");
    this.deaths = counter("deaths", "times that the ingestor of a stream broke off");
    this.outlived =
        counter("outlived", "those of them where the ingestor was seen alive afterwards");
    this.suspects = counter("suspects", "streams ended because ingestors died with their batch");
    this.full = counter("full", "times that a stream wasn't read because it had its bound kept");
    this.unauthenticated = counter("unauthenticated", "calls without valid credentials");
  }

  private Counter counter(String name, String description) {
    return Counter.builder("wings.loadbalancer." + name)
        .description(description)
        .register(registry);
  }

  /** A frame that went to an ingestor. */
  void sent(int size, boolean again) {
    frames.increment();
    bytes.increment(size);
    if (again) {
      resent.increment();
    }
  }

  /** An ingestor asked that a stream goes elsewhere. */
  void moved(StreamMove.Reason reason) {
    Counter.builder("wings.loadbalancer.moved")
        .description("streams that an ingestor asked to move")
        .tag("reason", reason.name().toLowerCase(Locale.ROOT))
        .register(registry)
        .increment();
  }

  /** A call that ended. */
  void ended(String method, String status) {
    Counter.builder("wings.loadbalancer.calls")
        .description("calls of clients that ended")
        .tag("method", method)
        .tag("status", status)
        .register(registry)
        .increment();
  }
}
