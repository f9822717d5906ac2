package io.wings.common.wal;

/** What a batch does to its table. */
public enum Operation {
  /** Adds every row. The only operation of an append table. */
  INSERT,
  /** Adds or replaces rows by primary key. */
  UPSERT,
  /** Removes rows by primary key; carries the key and version columns only. */
  DELETE
}
