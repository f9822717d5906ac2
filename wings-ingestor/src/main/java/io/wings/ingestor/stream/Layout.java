package io.wings.ingestor.stream;

import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/** How the values of a field lie in buffers and child columns, as they arrive. */
sealed interface Layout {
  /** No buffers at all. */
  record Nothing() implements Layout {}

  /** Validity, then one bit a value. */
  record Bits() implements Layout {}

  /** Validity, then {@code width} bytes a value. */
  record Fixed(int width) implements Layout {}

  /** Validity, offsets of 4 or 8 bytes, then bytes. */
  record Bytes(boolean large, boolean text) implements Layout {}

  /** Validity, views of 16 bytes, then any number of buffers they point into. */
  record Views(boolean text) implements Layout {}

  /** Validity, offsets of 4 or 8 bytes, one child. Maps too. */
  record Lists(boolean large) implements Layout {}

  /** Validity, offsets and sizes of 4 or 8 bytes, one child. */
  record ListViews(boolean large) implements Layout {}

  /** Validity, one child with {@code size} values for each of ours. */
  record FixedLists(int size) implements Layout {}

  /** Validity, one value of each child for each of ours. */
  record Structs() implements Layout {}

  /** No buffers; a child of run ends and a child of values. */
  record Runs() implements Layout {}

  /** Buffers of this layout in a message, without the variadic ones. */
  default int buffers() {
    return switch (this) {
      case Nothing _, Runs _ -> 0;
      case Structs _, FixedLists _ -> 1;
      case Bits _, Fixed _, Views _, Lists _ -> 2;
      case Bytes _, ListViews _ -> 3;
    };
  }

  /** The layout of a field's values; a dictionary-encoded field's is that of its dictionary. */
  static Layout of(Field field) {
    return of(field.getType());
  }

  static Layout of(ArrowType type) {
    return switch (type) {
      case ArrowType.Null _ -> new Nothing();
      case ArrowType.Bool _ -> new Bits();
      case ArrowType.Int t -> new Fixed(t.getBitWidth() / 8);
      case ArrowType.FloatingPoint t ->
          new Fixed(
              switch (t.getPrecision()) {
                case HALF -> 2;
                case SINGLE -> 4;
                case DOUBLE -> 8;
              });
      case ArrowType.Decimal t -> new Fixed(t.getBitWidth() / 8);
      case ArrowType.Date t ->
          new Fixed(
              switch (t.getUnit()) {
                case DAY -> 4;
                case MILLISECOND -> 8;
              });
      case ArrowType.Time t -> new Fixed(t.getBitWidth() / 8);
      case ArrowType.Timestamp _ -> new Fixed(8);
      case ArrowType.FixedSizeBinary t -> new Fixed(t.getByteWidth());
      case ArrowType.Utf8 _ -> new Bytes(false, true);
      case ArrowType.LargeUtf8 _ -> new Bytes(true, true);
      case ArrowType.Utf8View _ -> new Views(true);
      case ArrowType.Binary _ -> new Bytes(false, false);
      case ArrowType.LargeBinary _ -> new Bytes(true, false);
      case ArrowType.BinaryView _ -> new Views(false);
      case ArrowType.List _, ArrowType.Map _ -> new Lists(false);
      case ArrowType.LargeList _ -> new Lists(true);
      case ArrowType.ListView _ -> new ListViews(false);
      case ArrowType.LargeListView _ -> new ListViews(true);
      case ArrowType.FixedSizeList t -> new FixedLists(t.getListSize());
      case ArrowType.Struct _ -> new Structs();
      case ArrowType.RunEndEncoded _ -> new Runs();
      default -> throw new IllegalArgumentException("no layout for " + type);
    };
  }
}
