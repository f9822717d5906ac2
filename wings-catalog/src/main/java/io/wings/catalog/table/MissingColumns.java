package io.wings.catalog.table;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a stream that its table hasn't got, at any level, as the table would get them:
 * optional, so that what is there stays valid.
 *
 * @param columns a column before those inside it; none is inside another of them
 */
record MissingColumns(List<Missing> columns) {
  /**
   * One column.
   *
   * @param parent full name of the struct that it goes into; null at the top
   */
  record Missing(@Nullable String parent, String name, Type type) {}

  MissingColumns {
    columns = List.copyOf(columns);
  }

  boolean isEmpty() {
    return columns.isEmpty();
  }

  /**
   * Compares by name, as {@link ArrowSchemas#align} does; says nothing about columns that both
   * have.
   *
   * @throws WingsException {@code schema-mismatch} for a column that can't be added: of type null,
   *     or with a name that differs from another's in case alone; {@code type-unsupported}, {@code
   *     schema-invalid}, {@code table-unsupported}
   */
  static MissingColumns of(Schema incoming, org.apache.iceberg.Schema table) {
    List<Missing> found = new ArrayList<>();
    inStruct(incoming.getFields(), table.asStruct(), null, 1, found);
    int fields = TypeUtil.indexById(table.asStruct()).size();
    for (Missing missing : found) {
      fields += 1 + nested(missing.type);
    }
    if (!found.isEmpty() && fields > ArrowSchemas.MAX_FIELDS) {
      throw mismatch(
          path(found.getFirst()),
          "the table would have %d fields with it and the like, at most %d are taken"
              .formatted(fields, ArrowSchemas.MAX_FIELDS));
    }
    return new MissingColumns(found);
  }

  private static int nested(Type type) {
    return type.isNestedType()
        ? type.asNestedType().fields().stream().mapToInt(f -> 1 + nested(f.type())).sum()
        : 0;
  }

  private static void inStruct(
      List<Field> incoming,
      Types.StructType struct,
      @Nullable String parent,
      int depth,
      List<Missing> found) {
    if (depth > ArrowSchemas.MAX_DEPTH) {
      return;
    }
    Set<String> lower = new HashSet<>();
    struct.fields().forEach(column -> lower.add(column.name().toLowerCase(Locale.ROOT)));
    for (Field field : incoming) {
      String name = String.valueOf(field.getName());
      String path = parent == null ? name : parent + "." + name;
      Types.NestedField column = struct.field(name);
      if (column != null) {
        inType(field, column.type(), path, depth, found);
      } else if (!lower.add(name.toLowerCase(Locale.ROOT))) {
        throw mismatch(
            path,
            "another column's name differs from it in case alone, which many readers can't tell apart; rename it");
      } else {
        found.add(new Missing(parent, name, type(field, path)));
      }
    }
  }

  private static void inType(
      Field incoming, Type type, String path, int depth, List<Missing> found) {
    List<Field> children = incoming.getChildren();
    switch (type.typeId()) {
      case STRUCT -> inStruct(children, type.asStructType(), path, depth + 1, found);
      case LIST -> {
        if (children.size() == 1) {
          inType(
              children.getFirst(),
              type.asListType().elementType(),
              path + ".element",
              depth + 1,
              found);
        }
      }
      case MAP -> {
        if (children.size() == 1 && children.getFirst().getChildren().size() == 2) {
          inType(
              children.getFirst().getChildren().getLast(),
              type.asMapType().valueType(),
              path + ".value",
              depth + 1,
              found);
        }
      }
      default -> {
        // Whether it fits is for the alignment to say.
      }
    }
  }

  private static Type type(Field field, String path) {
    requireTyped(field, path);
    org.apache.iceberg.Schema alone = ArrowSchemas.toIceberg(new Schema(List.of(optional(field))));
    Writable.requireColumns(alone);
    return alone.columns().getFirst().type();
  }

  private static void requireTyped(Field field, String path) {
    if (field.getType() instanceof ArrowType.Null) {
      throw mismatch(
          path,
          "the table has no such column, and none is added of type null; leave it out, or cast it to the type that it will have");
    }
    field.getChildren().forEach(child -> requireTyped(child, path + "." + child.getName()));
  }

  /** Nullable at every level, but for what is never null: a map's keys. */
  private static Field optional(Field field) {
    List<Field> children = new ArrayList<>();
    if (ArrowTypes.storage(field.getType()) instanceof ArrowType.Map
        && field.getChildren().size() == 1
        && field.getChildren().getFirst().getChildren().size() == 2) {
      Field entries = field.getChildren().getFirst();
      children.add(
          new Field(
              entries.getName(),
              entries.getFieldType(),
              List.of(
                  entries.getChildren().getFirst(), optional(entries.getChildren().getLast()))));
    } else {
      field.getChildren().forEach(child -> children.add(optional(child)));
    }
    return new Field(
        field.getName(),
        new FieldType(true, field.getType(), field.getDictionary(), field.getMetadata()),
        children);
  }

  /**
   * Adds them.
   *
   * @throws WingsException {@code schema-mismatch} for names that Iceberg refuses
   */
  void addTo(UpdateSchema update) {
    for (Missing missing : columns) {
      try {
        update.addColumn(missing.parent, missing.name, missing.type);
      } catch (IllegalArgumentException e) {
        throw mismatch(
            path(missing), "Iceberg refuses it: " + Printable.of(String.valueOf(e.getMessage())));
      }
    }
  }

  private static String path(Missing missing) {
    return missing.parent == null ? missing.name : missing.parent + "." + missing.name;
  }

  private static WingsException mismatch(String path, String detail) {
    return WingsException.invalid(
        "schema-mismatch", "column \"%s\": %s".formatted(Printable.of(path), detail));
  }
}
