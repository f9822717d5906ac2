package io.wings.common.wal;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * What a schema must be to stand in a segment: plain types, a field id of its own on every field
 * (the group of a map's entries may do without), and no other metadata. Writer and reader hold it
 * to the same.
 */
final class SegmentSchema {
  /** Nesting of fields. */
  static final int MAX_DEPTH = 64;

  /** Fields of a schema, nested ones included. */
  static final int MAX_FIELDS = 20_000;

  private static final Set<Integer> INT_WIDTHS = Set.of(8, 16, 32, 64);
  private static final int DECIMAL_BITS = 128;
  private static final int MAX_PRECISION = 38;
  private static final int MAX_FIXED_BYTES = 1 << 24;

  private SegmentSchema() {}

  /** The schema without metadata other than field ids. */
  static Schema canonical(Schema schema) {
    List<Field> fields = new ArrayList<>(schema.getFields().size());
    for (Field field : schema.getFields()) {
      fields.add(canonical(field, false, 1));
    }
    Schema canonical = new Schema(fields);
    check(canonical);
    return canonical;
  }

  /**
   * @param entries whether it groups a map's key and value: Iceberg gives that no id, so it needs
   *     none
   */
  private static Field canonical(Field field, boolean entries, int depth) {
    if (depth > MAX_DEPTH) {
      throw invalid(field, "is nested deeper than " + MAX_DEPTH);
    }
    String id = field.getMetadata().get(BatchEncoder.FIELD_ID);
    if (id == null && !entries) {
      throw invalid(field, "has no metadata " + BatchEncoder.FIELD_ID);
    }
    List<Field> children = new ArrayList<>(field.getChildren().size());
    for (Field child : field.getChildren()) {
      children.add(canonical(child, isMap(field), depth + 1));
    }
    FieldType type =
        new FieldType(
            field.isNullable(),
            field.getType(),
            field.getDictionary(),
            id == null ? Map.of() : Map.of(BatchEncoder.FIELD_ID, id));
    return new Field(field.getName(), type, children);
  }

  private static boolean isMap(Field field) {
    return field.getType() instanceof ArrowType.Map;
  }

  /**
   * @throws WingsException {@code wal-schema-invalid}
   */
  static void check(Schema schema) {
    if (schema.getFields().isEmpty()) {
      throw WingsException.invalid("wal-schema-invalid", "a schema has at least one field");
    }
    Set<Integer> ids = new HashSet<>();
    for (Field field : schema.getFields()) {
      check(field, ids, false, 1);
    }
  }

  private static void check(Field field, Set<Integer> ids, boolean entries, int depth) {
    if (depth > MAX_DEPTH) {
      throw invalid(field, "is nested deeper than " + MAX_DEPTH);
    }
    if (field.getDictionary() != null) {
      throw invalid(field, "is dictionary-encoded; decode it first");
    }
    if (!plain(field.getType())) {
      throw invalid(field, "has type " + field.getType() + ", which segments don't hold");
    }
    checkChildren(field);
    boolean unnumbered = entries && field.getMetadata().isEmpty();
    if (!unnumbered) {
      checkId(field, ids);
    }
    if (ids.size() > MAX_FIELDS) {
      throw invalid(field, "is one of more than " + MAX_FIELDS);
    }
    for (Field child : field.getChildren()) {
      check(child, ids, isMap(field), depth + 1);
    }
  }

  private static void checkId(Field field, Set<Integer> ids) {
    if (!field.getMetadata().keySet().equals(Set.of(BatchEncoder.FIELD_ID))) {
      throw invalid(field, "has metadata other than " + BatchEncoder.FIELD_ID);
    }
    if (!ids.add(fieldId(field))) {
      throw invalid(field, "has the field id of another: " + fieldId(field));
    }
  }

  private static void checkChildren(Field field) {
    int children = field.getChildren().size();
    boolean right =
        switch (field.getType()) {
          case ArrowType.Struct _ -> children > 0;
          case ArrowType.List _ -> children == 1;
          case ArrowType.Map _ ->
              children == 1
                  && field.getChildren().getFirst().getType() instanceof ArrowType.Struct
                  && field.getChildren().getFirst().getChildren().size() == 2;
          default -> children == 0;
        };
    if (!right) {
      throw invalid(field, "has " + children + " children, which its type can't have");
    }
  }

  /**
   * The id in a field's metadata.
   *
   * @throws WingsException {@code wal-schema-invalid}
   */
  static int fieldId(Field field) {
    String id = field.getMetadata().get(BatchEncoder.FIELD_ID);
    try {
      int number = id == null ? 0 : Integer.parseInt(id);
      if (number > 0 && Integer.toString(number).equals(id)) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw invalid(field, "has a field id that is no number: " + Printable.of(String.valueOf(id)));
    }
    throw invalid(
        field, "has a field id that is not 1 or more: " + Printable.of(String.valueOf(id)));
  }

  /** Whether it is a type that segments hold, with parameters that a vector can have. */
  private static boolean plain(ArrowType type) {
    return switch (type) {
      case ArrowType.Int number -> INT_WIDTHS.contains(number.getBitWidth());
      case ArrowType.Decimal decimal ->
          decimal.getBitWidth() == DECIMAL_BITS
              && decimal.getPrecision() >= 1
              && decimal.getPrecision() <= MAX_PRECISION
              && Math.abs(decimal.getScale()) <= MAX_PRECISION;
      case ArrowType.FixedSizeBinary fixed ->
          fixed.getByteWidth() >= 1 && fixed.getByteWidth() <= MAX_FIXED_BYTES;
      case ArrowType.Time time ->
          switch (time.getUnit()) {
            case SECOND, MILLISECOND -> time.getBitWidth() == 32;
            case MICROSECOND, NANOSECOND -> time.getBitWidth() == 64;
          };
      case ArrowType.Null _,
          ArrowType.Bool _,
          ArrowType.FloatingPoint _,
          ArrowType.Utf8 _,
          ArrowType.Binary _,
          ArrowType.Date _,
          ArrowType.Timestamp _,
          ArrowType.Struct _,
          ArrowType.List _,
          ArrowType.Map _ ->
          true;
      default -> false;
    };
  }

  private static WingsException invalid(Field field, String what) {
    return WingsException.invalid(
        "wal-schema-invalid",
        "field \"" + Printable.of(String.valueOf(field.getName())) + "\" " + what);
  }
}
