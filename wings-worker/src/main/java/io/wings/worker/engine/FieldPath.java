package io.wings.worker.engine;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/**
 * Where the source column of a transform lies: a column, or a field below structs of it.
 *
 * @param fields from the column down to the field itself
 * @param positions of each of them among its siblings
 */
record FieldPath(List<NestedField> fields, List<Integer> positions) {
  /** Null when files don't hold the field. */
  static @Nullable FieldPath to(int fieldId, FileSchema schema) {
    return find(fieldId, schema.columns());
  }

  private static @Nullable FieldPath find(int fieldId, List<NestedField> siblings) {
    for (int i = 0; i < siblings.size(); i++) {
      NestedField field = siblings.get(i);
      if (field.fieldId() == fieldId) {
        return new FieldPath(List.of(field), List.of(i));
      }
      if (field.type().isStructType()) {
        FieldPath below = find(fieldId, field.type().asStructType().fields());
        if (below != null) {
          return new FieldPath(prepend(field, below.fields), prepend(i, below.positions));
        }
      }
    }
    return null;
  }

  private static <T> List<T> prepend(T first, List<T> rest) {
    List<T> all = new ArrayList<>();
    all.add(first);
    all.addAll(rest);
    return all;
  }

  Type type() {
    return fields.getLast().type();
  }

  /** The vector of the field, and those of the structs above it, outermost first. */
  Vectors in(List<FieldVector> columns) {
    List<FieldVector> structs = new ArrayList<>();
    FieldVector vector = columns.get(positions.getFirst());
    for (int position : positions.subList(1, positions.size())) {
      structs.add(vector);
      vector = vector.getChildrenFromFields().get(position);
    }
    return new Vectors(structs, vector);
  }

  /** A field's vector; a value is null where it, or a struct above it, is. */
  record Vectors(List<FieldVector> structs, FieldVector field) {
    boolean isNull(int row) {
      for (int i = 0; i < structs.size(); i++) {
        if (structs.get(i).isNull(row)) {
          return true;
        }
      }
      return field.isNull(row);
    }
  }
}
