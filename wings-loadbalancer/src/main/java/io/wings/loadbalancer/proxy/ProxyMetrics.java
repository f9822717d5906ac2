package io.wings.loadbalancer.proxy;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** What the proxy counts. */
final class ProxyMetrics {
  private final MeterRegistry registry;
  final Counter streams;
  final Counter frames;
  final Counter bytes;
  final Counter results;
  final Counter unauthenticated;

  ProxyMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.streams = counter("streams", "DoPut streams opened at an ingestor");
    this.frames = counter("frames", "frames passed to ingestors");
    this.bytes = counter("bytes", "bytes of frames passed to ingestors");
    this.results = counter("results", "results passed to clients");
    this.unauthenticated = counter("unauthenticated", "calls without valid credentials");
  }

  private Counter counter(String name, String description) {
    return Counter.builder("wings.loadbalancer." + name)
        .description(description)
        .register(registry);
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
