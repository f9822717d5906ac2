package io.wings.loadbalancer.relay;

import org.jspecify.annotations.Nullable;

/**
 * One message of a client.
 *
 * @param payload what is sent; not looked into
 * @param bytes that keeping it takes
 */
public record Frame<F>(F payload, Kind kind, long bytes) {
  /** What it is to the relay. */
  public sealed interface Kind {}

  /** Nothing but, perhaps, a descriptor. */
  public record Blank() implements Kind {}

  /**
   * The stream's schema.
   *
   * @param nested whether dictionaries are written against other dictionaries
   */
  public record Schema(boolean nested) implements Kind {}

  /**
   * Values that later batches refer to.
   *
   * @param delta whether they come behind those that are there, or take their place
   */
  public record Dictionary(long id, boolean delta) implements Kind {}

  /**
   * A batch, or whatever else an ingestor has to judge.
   *
   * @param sequence that its client gave it; null in an unnamed stream
   */
  public record Batch(@Nullable Long sequence) implements Kind {}
}
