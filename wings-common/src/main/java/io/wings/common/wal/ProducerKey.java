package io.wings.common.wal;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;

/**
 * Who numbers a run of batches.
 *
 * @param principal the authenticated sender, 1 to 512 bytes of UTF-8
 * @param name chosen by the client (named) or drawn by the load balancer (unnamed), 1 to 512 bytes
 *     of UTF-8
 * @param named whether the client chose the name; named and unnamed producers never meet
 */
public record ProducerKey(String principal, String name, boolean named) {
  /** Longest principal or name, in bytes of UTF-8. */
  public static final int MAX_NAME_BYTES = 512;

  public ProducerKey {
    check("principal", principal);
    check("producer", name);
  }

  private static void check(String what, String value) {
    int bytes = Utf8.length(value);
    if (bytes < 1 || bytes > MAX_NAME_BYTES) {
      throw WingsException.invalid(
          what + "-invalid",
          "a %s has 1 to %d bytes of UTF-8, got %s"
              .formatted(
                  what,
                  MAX_NAME_BYTES,
                  bytes < 0 ? "\"" + Printable.of(value) + "\", which isn't Unicode" : bytes));
    }
  }

  /** A producer that the client named. */
  public static ProducerKey named(String principal, String name) {
    return new ProducerKey(principal, name, true);
  }

  /** A stream without a producer, under the name that the load balancer drew. */
  public static ProducerKey unnamed(String principal, String name) {
    return new ProducerKey(principal, name, false);
  }

  /** The space whose members it competes with: its principal's, or that of all unnamed ones. */
  String space() {
    return named ? principal : "";
  }

  @Override
  public String toString() {
    return (named ? "" : "unnamed ") + Printable.of(principal) + "/" + Printable.of(name);
  }
}
