package io.wings.common.objectstore;

/** How a put ended. A definite failure (403, no bucket, no space) is a {@link StoreException}. */
public sealed interface PutOutcome {
  /** The object is there, with this version. */
  record Written(String version) implements PutOutcome {}

  /** Someone else's object is there: if-absent met an object, or if-version met another version. */
  record Lost() implements PutOutcome {}

  /** If-version met no object. */
  record Missing() implements PutOutcome {}

  /**
   * It can't be known whether the write landed, or whether it will (time-out, reset, 5xx, 409).
   *
   * @param reason for logs
   */
  record Unknown(String reason) implements PutOutcome {}
}
