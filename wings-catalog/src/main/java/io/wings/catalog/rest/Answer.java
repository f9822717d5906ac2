package io.wings.catalog.rest;

import java.util.Map;

/**
 * What goes back.
 *
 * @param body JSON; empty for none
 */
@SuppressWarnings("ArrayRecordComponent")
record Answer(int status, byte[] body, Map<String, String> headers) {
  private static final byte[] NONE = {};

  static Answer ok(Object message) {
    return new Answer(200, RestJson.write(message), Map.of());
  }

  static Answer empty(int status) {
    return new Answer(status, NONE, Map.of());
  }

  Answer withHeader(String name, String value) {
    return new Answer(status, body, Map.of(name, value));
  }
}
