package io.wings.worker.engine;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import com.google.common.hash.PrimitiveSink;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;

/**
 * Hashes of values in vectors of the engine's form. They are keyed by a secret: Arrow's own are the
 * same everywhere, so a client could send values that all have one hash.
 */
final class KeyHash {
  private final HashFunction function;

  private KeyHash(HashFunction function) {
    this.function = function;
  }

  /**
   * @param secret what clients can't know while they write; a fresh id, say
   */
  static KeyHash of(String secret) {
    ByteBuffer key =
        ByteBuffer.wrap(Hashing.sha256().hashString(secret, StandardCharsets.UTF_8).asBytes());
    return new KeyHash(Hashing.sipHash24(key.getLong(), key.getLong()));
  }

  /** Slots with equal bytes at every level have equal hashes. */
  int of(FieldVector vector, int slot) {
    return function.hashObject(slot, (at, sink) -> put(vector, at, sink)).asInt();
  }

  private static void put(FieldVector vector, int slot, PrimitiveSink sink) {
    boolean isNull = vector.isNull(slot);
    sink.putBoolean(isNull);
    if (isNull) {
      return;
    }
    switch (vector) {
      case BitVector bits -> sink.putBoolean(bits.get(slot) != 0);
      case BaseFixedWidthVector fixed -> {
        int width = fixed.getTypeWidth();
        put(fixed.getDataBuffer(), (long) slot * width, width, sink);
      }
      case BaseVariableWidthVector variable -> {
        int length = variable.getValueLength(slot);
        sink.putInt(length);
        put(variable.getDataBuffer(), variable.getStartOffset(slot), length, sink);
      }
      case StructVector struct -> {
        List<FieldVector> fields = struct.getChildrenFromFields();
        fields.forEach(field -> put(field, slot, sink));
      }
      case ListVector list -> {
        int end = list.getElementEndIndex(slot);
        sink.putInt(end - list.getElementStartIndex(slot));
        for (int i = list.getElementStartIndex(slot); i < end; i++) {
          put(list.getDataVector(), i, sink);
        }
      }
      case NullVector _ -> {}
      default -> throw new IllegalStateException("not of the engine's form: " + vector.getField());
    }
  }

  private static void put(ArrowBuf data, long start, int length, PrimitiveSink sink) {
    switch (length) {
      case 0 -> {}
      case Integer.BYTES -> sink.putInt(data.getInt(start));
      case Long.BYTES -> sink.putLong(data.getLong(start));
      default -> sink.putBytes(data.nioBuffer(start, length));
    }
  }
}
