package io.wings.worker.engine;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.data.GenericDataUtil;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/** Changes a table's schema at random, and says what older rows then look like. */
final class Evolution {
  private Evolution() {}

  static void evolve(Table table, RandomValues values) {
    Schema schema = table.schema();
    Set<Integer> pinned = new HashSet<>();
    table.spec().fields().forEach(field -> pinned.add(field.sourceId()));
    table.sortOrder().fields().forEach(field -> pinned.add(field.sourceId()));
    UpdateSchema update = table.updateSchema();
    Map<Integer, String> parents = new HashMap<>();
    change(update, "", schema.columns(), pinned, parents, values);
    if (values.chance(60)) {
      update.addColumn(
          "added" + schema.schemaId(), Types.StringType.get(), "", Literal.of("dëfault"));
    }
    if (values.chance(60)) {
      update.addColumn("added_null" + schema.schemaId(), Types.LongType.get());
    }
    update.commit();
  }

  private static void change(
      UpdateSchema update,
      String prefix,
      List<NestedField> fields,
      Set<Integer> pinned,
      Map<Integer, String> parents,
      RandomValues values) {
    for (int i = 0; i < fields.size(); i++) {
      NestedField field = fields.get(i);
      String name = prefix + field.name();
      if (field.type().isStructType()) {
        change(update, name + ".", field.type().asStructType().fields(), pinned, parents, values);
        if (values.chance(30)) {
          update.addColumn(
              name,
              "added_" + name.length() + "_" + values.random.nextInt(1 << 30),
              Types.IntegerType.get(),
              "",
              Literal.of(42));
        }
      } else if (!pinned.contains(field.fieldId()) && i > 0 && values.chance(15)) {
        update.deleteColumn(name);
        continue;
      } else if (field.type().isPrimitiveType()
          && !pinned.contains(field.fieldId())
          && values.chance(50)) {
        update.updateColumn(name, RandomTables.widened(field.type().asPrimitiveType()));
      }
      if (values.chance(30)) {
        update.renameColumn(name, "renamed_" + field.fieldId());
      }
      if (i > 0 && values.chance(20)) {
        update.moveFirst(name);
      }
    }
  }

  static List<Record> asRowsOf(Schema now, Schema then, List<Record> rows) {
    List<Record> converted = new ArrayList<>();
    rows.forEach(row -> converted.add(struct(now.asStruct(), then.asStruct(), row)));
    return converted;
  }

  private static Record struct(Types.StructType now, Types.StructType then, Record row) {
    GenericRecord converted = GenericRecord.create(now);
    for (int i = 0; i < now.fields().size(); i++) {
      NestedField field = now.fields().get(i);
      NestedField old = then.field(field.fieldId());
      converted.set(
          i,
          old == null
              ? GenericDataUtil.internalToGeneric(field.type(), field.initialDefault())
              : value(field.type(), old.type(), row.getField(old.name())));
    }
    return converted;
  }

  private static @Nullable Object value(Type now, Type then, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    return switch (now.typeId()) {
      case STRUCT -> struct(now.asStructType(), then.asStructType(), (Record) value);
      case LIST -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (Object element : (List<?>) value) {
          list.add(value(now.asListType().elementType(), then.asListType().elementType(), element));
        }
        yield list;
      }
      case MAP -> {
        Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
        ((Map<?, ?>) value)
            .forEach(
                (k, v) ->
                    map.put(
                        value(now.asMapType().keyType(), then.asMapType().keyType(), k),
                        value(now.asMapType().valueType(), then.asMapType().valueType(), v)));
        yield map;
      }
      case LONG -> ((Number) value).longValue();
      case DOUBLE -> ((Number) value).doubleValue();
      case DECIMAL -> (BigDecimal) value;
      default -> value;
    };
  }
}
