package io.wings.common.wal;

import java.util.Arrays;
import java.util.HexFormat;
import org.apache.arrow.vector.types.pojo.Schema;

/** A schema and its encapsulated IPC message. Equal when the messages are. */
public final class EncodedSchema {
  private final Schema schema;
  private final byte[] message;
  private final int hash;

  EncodedSchema(Schema schema, byte[] message) {
    this.schema = schema;
    this.message = message;
    this.hash = Arrays.hashCode(message);
  }

  /** Every field, nested ones included, carries a field id. */
  public Schema schema() {
    return schema;
  }

  /** Size of the message, in bytes. */
  public int size() {
    return message.length;
  }

  /** Not to be changed. */
  byte[] message() {
    return message;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EncodedSchema that && Arrays.equals(message, that.message);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "schema " + HexFormat.of().toHexDigits(hash);
  }
}
