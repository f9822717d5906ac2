package io.wings.catalog.table;

import io.wings.catalog.table.Alignment.Column;
import io.wings.catalog.table.Alignment.Conversion;
import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** Matches an incoming schema with a table's, by name. */
final class Aligner {
  Alignment align(Schema incoming, org.apache.iceberg.Schema table) {
    Schema target = ArrowSchemas.expected(table);
    return new Alignment(
        target, columns(incoming.getFields(), target.getFields(), table.columns(), "", 1));
  }

  private List<Column> columns(
      List<Field> incoming,
      List<Field> targets,
      List<Types.NestedField> wanted,
      String path,
      int depth) {
    Map<String, Integer> byName = byName(incoming, path, depth);
    List<Column> columns = new ArrayList<>(targets.size());
    for (int i = 0; i < targets.size(); i++) {
      Field target = targets.get(i);
      Types.NestedField column = wanted.get(i);
      Integer input = byName.remove(column.name());
      columns.add(
          input == null
              ? filled(target, column, path)
              : taken(incoming.get(input), input, target, column, path, depth));
    }
    if (!byName.isEmpty()) {
      String extra = byName.keySet().stream().sorted().findFirst().orElseThrow();
      throw mismatch(
          path(path, extra),
          "the table has no such column; leave it out, add it to the table first, or let Wings add it"
              + " (wings.schema.evolution=add-columns)");
    }
    return columns;
  }

  private static Map<String, Integer> byName(List<Field> incoming, String path, int depth) {
    if (depth > ArrowSchemas.MAX_DEPTH) {
      throw mismatch(path, "more than " + ArrowSchemas.MAX_DEPTH + " nested levels");
    }
    if (incoming.size() > ArrowSchemas.MAX_FIELDS) {
      throw mismatch(path, "more than " + ArrowSchemas.MAX_FIELDS + " fields");
    }
    Map<String, Integer> byName = new HashMap<>();
    for (int i = 0; i < incoming.size(); i++) {
      String name = incoming.get(i).getName();
      if (name == null || byName.put(name, i) != null) {
        throw mismatch(path(path, String.valueOf(name)), "the stream has this column twice");
      }
    }
    return byName;
  }

  private static Column filled(Field target, Types.NestedField column, String path) {
    Object value = column.writeDefault();
    if (value == null && column.isRequired()) {
      throw mismatch(
          path(path, column.name()),
          "it is required (%s), has no default, and the stream lacks it".formatted(column.type()));
    }
    return new Column.Filled(target, value);
  }

  private Column taken(
      Field incoming, int input, Field target, Types.NestedField column, String path, int depth) {
    boolean nothing = incoming.getType() instanceof ArrowType.Null;
    if (nothing && column.isOptional() && column.type().typeId() != Type.TypeID.UNKNOWN) {
      return new Column.Filled(target, null);
    }
    Conversion conversion =
        conversion(incoming, target, column.type(), path(path, column.name()), depth);
    return new Column.Taken(target, input, conversion);
  }

  private Conversion conversion(Field incoming, Field target, Type wanted, String path, int depth) {
    ArrowType from = ArrowTypes.storage(incoming.getType());
    return switch (wanted.typeId()) {
      case STRUCT -> {
        expect(from instanceof ArrowType.Struct, from, wanted, path);
        yield fields(incoming, target, wanted.asStructType(), path, depth);
      }
      case LIST -> {
        expect(isList(from) && incoming.getChildren().size() == 1, from, wanted, path);
        yield elements(incoming, target, wanted.asListType(), path, depth);
      }
      case MAP -> {
        expect(from instanceof ArrowType.Map && isMap(incoming), from, wanted, path);
        yield entries(incoming, target, wanted.asMapType(), path, depth);
      }
      default -> {
        expect(Widening.allowed(from, target.getType()), from, wanted, path);
        yield from.equals(target.getType())
            ? new Conversion.Same()
            : new Conversion.Cast(from, target.getType());
      }
    };
  }

  private Conversion fields(
      Field incoming, Field target, Types.StructType wanted, String path, int depth) {
    List<Column> columns =
        columns(incoming.getChildren(), target.getChildren(), wanted.fields(), path, depth + 1);
    boolean same =
        incoming.getChildren().size() == columns.size()
            && new Alignment(new Schema(target.getChildren()), columns).identity();
    return same ? new Conversion.Same() : new Conversion.Fields(columns);
  }

  private Conversion elements(
      Field incoming, Field target, Types.ListType wanted, String path, int depth) {
    Conversion element =
        conversion(
            deeper(incoming.getChildren().getFirst(), path, depth),
            target.getChildren().getFirst(),
            wanted.elementType(),
            path(path, "element"),
            depth + 1);
    boolean plain = ArrowTypes.storage(incoming.getType()) instanceof ArrowType.List;
    return plain && element instanceof Conversion.Same ? element : new Conversion.Elements(element);
  }

  private Conversion entries(
      Field incoming, Field target, Types.MapType wanted, String path, int depth) {
    List<Field> from = deeper(incoming.getChildren().getFirst(), path, depth).getChildren();
    List<Field> to = target.getChildren().getFirst().getChildren();
    Conversion key =
        conversion(from.getFirst(), to.getFirst(), wanted.keyType(), path(path, "key"), depth + 1);
    Conversion value =
        conversion(
            from.getLast(), to.getLast(), wanted.valueType(), path(path, "value"), depth + 1);
    return key instanceof Conversion.Same && value instanceof Conversion.Same
        ? key
        : new Conversion.Entries(key, value);
  }

  private static Field deeper(Field field, String path, int depth) {
    if (depth >= ArrowSchemas.MAX_DEPTH) {
      throw mismatch(path, "more than " + ArrowSchemas.MAX_DEPTH + " nested levels");
    }
    return field;
  }

  private static boolean isList(ArrowType type) {
    return type instanceof ArrowType.List
        || type instanceof ArrowType.LargeList
        || type instanceof ArrowType.FixedSizeList
        || type instanceof ArrowType.ListView
        || type instanceof ArrowType.LargeListView;
  }

  private static boolean isMap(Field field) {
    return field.getChildren().size() == 1
        && field.getChildren().getFirst().getChildren().size() == 2;
  }

  private static void expect(boolean compatible, ArrowType from, Type wanted, String path) {
    if (!compatible) {
      throw mismatch(
          path, "expected %s, got %s, which doesn't widen to it".formatted(wanted, from));
    }
  }

  private static String path(String parent, String name) {
    return parent.isEmpty() ? name : parent + "." + name;
  }

  private static WingsException mismatch(String path, String detail) {
    return WingsException.invalid(
        "schema-mismatch", "column \"%s\": %s".formatted(Printable.of(path), detail));
  }
}
