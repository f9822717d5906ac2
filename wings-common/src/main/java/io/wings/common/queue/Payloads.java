package io.wings.common.queue;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Payloads in one order, so that equal queues have equal bytes. */
final class Payloads {
  private Payloads() {}

  static Map<String, String> sorted(Map<String, String> payload) {
    return Collections.unmodifiableSortedMap(new TreeMap<>(payload));
  }
}
