package io.wings.ingestor.lane;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.wal.ProducerKey;

/** What lanes say when they refuse, and when they stop. */
final class Errors {
  private Errors() {}

  static WingsException gap(ProducerKey producer, long sequence, long expected) {
    return WingsException.invalid(
        "sequence-gap",
        "producer %s sent sequence %d, expected %d; send from %d on"
            .formatted(producer, sequence, expected, expected));
  }

  static WingsException fenced(ProducerKey producer, long epoch, long current) {
    return new WingsException(
        ErrorKind.FENCED,
        "producer-fenced",
        "producer %s has epoch %d, this stream's %d is over; another client took over"
            .formatted(producer, current, epoch));
  }

  static WingsException forgotten(ProducerKey producer, long epoch, long horizon) {
    return WingsException.invalid(
        "producer-forgotten",
        ("producer %s with epoch %d is no longer remembered (horizon %d), so what it sent can't be told"
                + " from what it sends again; check the table and open a new epoch")
            .formatted(producer, epoch, horizon));
  }

  /** Another code than where nothing can have been stored: who sends for a client mustn't go on. */
  static WingsException outcomeForgotten(ProducerKey producer, long sequence) {
    return WingsException.invalid(
        "outcome-forgotten",
        "sequence %d of %s was written while this ingestor was cut off for longer than the log is kept, and its producer is no longer remembered: check the table before it is sent again"
            .formatted(sequence, producer));
  }

  static WingsException unknownEpoch(ProducerKey producer, long epoch) {
    if (!producer.named()) {
      // Another ingestor's put landed after this one had drawn an epoch from the log's head.
      return WingsException.unavailable(
          "epoch-unknown",
          "the log has %s under another epoch than %d; open the stream again"
              .formatted(producer, epoch),
          null);
    }
    return WingsException.invalid(
        "epoch-unknown",
        "no record gave producer %s the epoch %d; ask for producer-state first"
            .formatted(producer, epoch));
  }

  static WingsException batchTooLarge(long rawBytes, long cap) {
    return WingsException.invalid(
        "batch-too-large",
        "a batch has at most %d bytes, got %d; send smaller batches".formatted(cap, rawBytes));
  }

  static WingsException closing() {
    return WingsException.unavailable(
        "ingestor-closing",
        "this ingestor is shutting down before the outcome was known; send the same sequence again",
        null);
  }

  static WingsException closed() {
    return WingsException.unavailable("session-closed", "the stream was closed", null);
  }

  /** The same error once more, for another thread. */
  static WingsException again(WingsException error) {
    String message = String.valueOf(error.getMessage());
    String prefix = error.code() + ": ";
    String detail = message.startsWith(prefix) ? message.substring(prefix.length()) : message;
    return new WingsException(error.kind(), error.code(), detail, error);
  }
}
