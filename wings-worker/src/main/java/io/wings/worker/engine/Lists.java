package io.wings.worker.engine;

import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.compare.Range;
import org.apache.arrow.vector.compare.RangeEqualsVisitor;
import org.apache.arrow.vector.complex.BaseListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.util.TransferPair;
import org.jspecify.annotations.Nullable;

/** The Arrow forms of a list, brought into the one with 32-bit offsets. */
final class Lists {
  /** How often a look through keys asks whether it is to stop. */
  private static final int KEYS_BETWEEN_LOOKS = 4_096;

  private Lists() {}

  /** How lists of one Arrow form are taken over. */
  @FunctionalInterface
  interface Form {
    /**
     * Takes all of {@code source} over.
     *
     * @param elements fills an empty vector with all elements of {@code source}; the lists it gets
     *     say which of them are referred to
     */
    void align(FieldVector source, ListVector target, Elements elements)
        throws InterruptedException;
  }

  /** Brings the elements of lists over. */
  @FunctionalInterface
  interface Elements {
    void align(BaseListVector lists, FieldVector into) throws InterruptedException;
  }

  /** Null when the type is no list. */
  static @Nullable Form formOf(ArrowType type) {
    return switch (type) {
      case ArrowType.List _ ->
          (source, target, elements) -> {
            ColumnAligner.share(source, target);
            elements.align(target, target.getDataVector());
          };
      case ArrowType.LargeList _ ->
          (source, target, elements) -> {
            ArrowBuf offsets = ((LargeListVector) source).getOffsetBuffer();
            boolean empty = source.getValueCount() == 0;
            shareWithOffsets(
                source, target, i -> empty ? 0 : offsets.getLong((long) i * Long.BYTES));
            elements.align(target, target.getDataVector());
          };
      case ArrowType.FixedSizeList list ->
          (source, target, elements) -> {
            shareWithOffsets(source, target, i -> (long) i * list.getListSize());
            elements.align(target, target.getDataVector());
          };
      case ArrowType.ListView _ ->
          (source, target, elements) -> {
            try (FieldVector all =
                target.getDataVector().getField().createVector(target.getAllocator())) {
              elements.align((BaseListVector) source, all);
              gather((BaseListVector) source, all, _ -> true, target);
            }
          };
      default -> null;
    };
  }

  @FunctionalInterface
  private interface Offsets {
    long at(int row);
  }

  private static void shareWithOffsets(FieldVector source, ListVector target, Offsets wide) {
    int count = source.getValueCount();
    try (ArrowBuf offsets = target.getAllocator().buffer((count + 1L) * Integer.BYTES)) {
      for (int i = 0; i <= count; i++) {
        offsets.setInt((long) i * Integer.BYTES, Math.toIntExact(wide.at(i)));
      }
      offsets.writerIndex((count + 1L) * Integer.BYTES);
      target.loadFieldBuffers(
          new ArrowFieldNode(count, source.getNullCount()),
          List.of(source.getValidityBuffer(), offsets));
    }
  }

  /** Lists of those {@code elements} of each list of {@code source} that {@code keep} accepts. */
  private static void gather(
      BaseListVector source, FieldVector elements, IntPredicate keep, ListVector target) {
    target.allocateNew();
    FieldVector into = target.getDataVector();
    for (int i = 0; i < source.getValueCount(); i++) {
      if (source.isNull(i)) {
        target.setNull(i);
        continue;
      }
      int start = target.startNewValue(i);
      int kept = 0;
      for (int k = source.getElementStartIndex(i); k < source.getElementEndIndex(i); k++) {
        if (keep.test(k)) {
          into.copyFromSafe(k, start + kept, elements);
          kept++;
        }
      }
      target.endValue(i, kept);
    }
    target.setValueCount(source.getValueCount());
  }

  /**
   * Drops all but the last entry of each key of a map, as a reader would; DuckDB refuses a map that
   * repeats one.
   */
  static void keepLastOfEachKey(ListVector maps, KeyHash hash) throws InterruptedException {
    FieldVector keys = maps.getDataVector().getChildrenFromFields().getFirst();
    BitSet repeated = new BitSet();
    for (int i = 0; i < maps.getValueCount(); i++) {
      if (!maps.isNull(i)) {
        findRepeated(
            keys, maps.getElementStartIndex(i), maps.getElementEndIndex(i), hash, repeated);
      }
    }
    if (repeated.isEmpty()) {
      return;
    }
    try (FieldVector copy = moved(maps)) {
      ListVector source = (ListVector) copy;
      gather(source, source.getDataVector(), k -> !repeated.get(k), maps);
    }
  }

  private static FieldVector moved(ListVector maps) {
    TransferPair transfer = maps.getTransferPair(maps.getAllocator());
    transfer.transfer();
    return (FieldVector) transfer.getTo();
  }

  private static void findRepeated(
      FieldVector keys, int start, int end, KeyHash hash, BitSet repeated)
      throws InterruptedException {
    int count = end - start;
    if (count < 2) {
      return;
    }
    // Open addressing: each slot holds 1 + the last entry seen with its key.
    int[] seen = new int[Integer.highestOneBit(count) * 4];
    RangeEqualsVisitor equality = new RangeEqualsVisitor(keys, keys);
    for (int k = start; k < end; k++) {
      if (k % KEYS_BETWEEN_LOOKS == 0 && Thread.interrupted()) {
        throw new InterruptedException();
      }
      int slot = hash.of(keys, k) & (seen.length - 1);
      while (seen[slot] != 0 && !equality.rangeEquals(new Range(seen[slot] - 1, k, 1))) {
        slot = (slot + 1) & (seen.length - 1);
      }
      if (seen[slot] != 0) {
        repeated.set(seen[slot] - 1);
      }
      seen[slot] = k + 1;
    }
  }
}
