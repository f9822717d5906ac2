package io.wings.worker.engine;

import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.ListType;
import org.apache.iceberg.types.Types.MapType;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/**
 * Brings batches of one Arrow schema into the engine's form of the table's current schema. Fields
 * are matched by field id at every level; names matter only to error messages. What the batch has
 * and the table no longer has is left out; what it lacks takes its default.
 */
final class BatchAligner {
  /** The Arrow metadata that carries an Iceberg field id. */
  static final String FIELD_ID = "PARQUET:field_id";

  private final List<Match> columns;

  private BatchAligner(List<Match> columns) {
    this.columns = columns;
  }

  /** Where a field's values come from: a field of the batch, or its default. */
  private record Match(int source, ColumnAligner aligner, NestedField field) {
    static final int DEFAULT = -1;

    void align(List<FieldVector> sources, int count, Slots slots, FieldVector target)
        throws InterruptedException {
      if (source == DEFAULT) {
        ArrowValues.fill(target, field.type(), count, defaultOf(field));
      } else {
        aligner.align(sources.get(source), slots, target);
      }
    }
  }

  /**
   * @param hash of map keys
   * @throws WingsException when batches of that schema can't become rows of the table
   */
  static BatchAligner of(
      org.apache.arrow.vector.types.pojo.Schema batch, FileSchema schema, KeyHash hash) {
    Compiler compiler = new Compiler(schema, hash);
    return new BatchAligner(compiler.match("", batch.getFields(), schema.columns()));
  }

  /** Fills {@code columns}, which are empty and in the order of the file schema. */
  void align(VectorSchemaRoot batch, List<FieldVector> targets) throws InterruptedException {
    List<FieldVector> sources = batch.getFieldVectors();
    for (int i = 0; i < columns.size(); i++) {
      columns.get(i).align(sources, batch.getRowCount(), Slots.ALL, targets.get(i));
    }
  }

  /**
   * A row older than its column has the column's initial default; a required column without one
   * takes the write default.
   */
  private static @Nullable Object defaultOf(NestedField field) {
    Object initial = field.initialDefault();
    return initial == null && field.isRequired() ? field.writeDefault() : initial;
  }

  private record Compiler(FileSchema schema, KeyHash hash) {
    List<Match> match(String parent, List<Field> sources, List<NestedField> targets) {
      Map<Integer, Integer> positions = new HashMap<>();
      for (int i = 0; i < sources.size(); i++) {
        if (positions.put(fieldId(sources.get(i)), i) != null) {
          throw ColumnError.batch(
              "field id " + fieldId(sources.get(i)) + " twice among the fields of " + parent);
        }
      }
      List<Match> matches = new ArrayList<>();
      for (NestedField target : targets) {
        Integer position = positions.get(target.fieldId());
        if (position == null && defaultOf(target) == null && target.isRequired()) {
          throw missing(target, sources);
        }
        matches.add(
            position == null
                ? new Match(Match.DEFAULT, ColumnAligner.SHARED, target)
                : new Match(position, column(sources.get(position), target), target));
      }
      return matches;
    }

    private WingsException missing(NestedField target, List<Field> sources) {
      String column = schema.printable(target.fieldId());
      for (Field source : sources) {
        if (source.getName().equals(schema.ownName(target.fieldId()))) {
          return ColumnError.missing(
              column,
              "a field of that name there has id "
                  + fieldId(source)
                  + ", in the table it has id "
                  + target.fieldId()
                  + "; the column was replaced by another");
        }
      }
      return ColumnError.missing(column, "no field with id " + target.fieldId() + ", no default");
    }

    private ColumnAligner column(Field source, NestedField target) {
      String name = schema.printable(target.fieldId());
      if (source.getDictionary() != null) {
        throw ColumnError.batch("column " + name + " is still encoded by a dictionary");
      }
      ColumnAligner values = values(source, target, name);
      return target.isRequired()
          ? ColumnAligner.after(List.of(ColumnCheck.noNulls(name)), values)
          : values;
    }

    private ColumnAligner values(Field source, NestedField target, String name) {
      if (source.getType() instanceof ArrowType.ExtensionType extension) {
        ColumnAligner storage = values(source, extension.storageType(), target, name);
        return (vector, slots, to) ->
            storage.align(
                (FieldVector) ((ExtensionTypeVector<?>) vector).getUnderlyingVector(), slots, to);
      }
      return values(source, source.getType(), target, name);
    }

    private ColumnAligner values(Field source, ArrowType type, NestedField target, String name) {
      ColumnAligner aligner =
          switch (target.type().typeId()) {
            case STRUCT -> type instanceof ArrowType.Struct ? struct(source, target, name) : null;
            case LIST -> list(source, type, target.type().asListType(), name);
            case MAP ->
                type instanceof ArrowType.Map ? map(source, target.type().asMapType(), name) : null;
            case VARIANT -> type instanceof ArrowType.Struct ? variant(source, name) : null;
            case BOOLEAN,
                INTEGER,
                LONG,
                FLOAT,
                DOUBLE,
                DATE,
                TIME,
                TIMESTAMP,
                TIMESTAMP_NANO,
                STRING,
                UUID,
                FIXED,
                BINARY,
                DECIMAL,
                GEOMETRY,
                GEOGRAPHY,
                UNKNOWN ->
                LeafAligners.of(type, target.type(), name);
          };
      // A column of type unknown has only nulls and may become any other.
      if (type instanceof ArrowType.Null && target.isOptional()) {
        return (vector, slots, to) ->
            ArrowValues.fill(to, target.type(), vector.getValueCount(), null);
      }
      if (aligner == null) {
        throw ColumnError.type(name, type, target.type());
      }
      return aligner;
    }

    private ColumnAligner struct(Field source, NestedField target, String name) {
      List<Match> fields = match(name, source.getChildren(), target.type().asStructType().fields());
      return (vector, slots, to) -> {
        ColumnAligner.share(vector, to);
        Slots inside = slots.inStruct(vector);
        for (int i = 0; i < fields.size(); i++) {
          fields
              .get(i)
              .align(
                  vector.getChildrenFromFields(),
                  vector.getValueCount(),
                  inside,
                  to.getChildrenFromFields().get(i));
        }
      };
    }

    private @Nullable ColumnAligner list(
        Field source, ArrowType type, ListType target, String name) {
      Lists.Form form = Lists.formOf(type);
      if (form == null) {
        return null;
      }
      Field element = source.getChildren().getFirst();
      requireId(element, target.elementId(), name);
      ColumnAligner elements = column(element, target.fields().getFirst());
      return (vector, slots, to) -> {
        FieldVector from = vector.getChildrenFromFields().getFirst();
        form.align(
            vector,
            (ListVector) to,
            (lists, into) -> elements.align(from, slots.inList(lists), into));
      };
    }

    private ColumnAligner map(Field source, MapType target, String name) {
      Field entries = source.getChildren().getFirst();
      Field key = entries.getChildren().get(0);
      Field value = entries.getChildren().get(1);
      requireId(key, target.keyId(), name);
      requireId(value, target.valueId(), name);
      ColumnAligner keys = column(key, target.fields().get(0));
      ColumnAligner values = column(value, target.fields().get(1));
      return (vector, slots, to) -> {
        ListVector maps = (ListVector) to;
        FieldVector from = ((ListVector) vector).getDataVector();
        FieldVector into = maps.getDataVector();
        Slots inside = slots.inList((ListVector) vector);
        ColumnAligner.share(vector, maps);
        ColumnAligner.share(from, into);
        keys.align(
            from.getChildrenFromFields().get(0), inside, into.getChildrenFromFields().get(0));
        values.align(
            from.getChildrenFromFields().get(1), inside, into.getChildrenFromFields().get(1));
        Lists.keepLastOfEachKey(maps, hash);
      };
    }

    private ColumnAligner variant(Field source, String name) {
      int metadata = childNamed(source, ArrowColumns.METADATA, name);
      int value = childNamed(source, ArrowColumns.VALUE, name);
      ColumnAligner metadatas = binary(source.getChildren().get(metadata), name);
      ColumnAligner values = binary(source.getChildren().get(value), name);
      return (vector, slots, to) -> {
        ColumnAligner.share(vector, to);
        Slots inside = slots.inStruct(vector);
        List<FieldVector> from = vector.getChildrenFromFields();
        List<FieldVector> into = to.getChildrenFromFields();
        metadatas.align(from.get(metadata), inside, into.get(0));
        values.align(from.get(value), inside, into.get(1));
      };
    }

    private static int childNamed(Field source, String child, String name) {
      for (int i = 0; i < source.getChildren().size(); i++) {
        if (source.getChildren().get(i).getName().equals(child)) {
          return i;
        }
      }
      throw ColumnError.batch("variant column " + name + " has no field \"" + child + "\"");
    }

    private static ColumnAligner binary(Field source, String name) {
      Type type = org.apache.iceberg.types.Types.BinaryType.get();
      ColumnAligner aligner = LeafAligners.of(source.getType(), type, name);
      if (aligner == null) {
        throw ColumnError.type(name, source.getType(), type);
      }
      return aligner;
    }

    private static void requireId(Field field, int id, String name) {
      if (fieldId(field) != id) {
        throw ColumnError.batch(
            "inside column "
                + name
                + " a field has id "
                + fieldId(field)
                + " where the table has id "
                + id);
      }
    }
  }

  private static int fieldId(Field field) {
    String id = field.getMetadata().get(FIELD_ID);
    if (id == null) {
      throw ColumnError.batch("a field has no " + FIELD_ID);
    }
    try {
      return Integer.parseInt(id);
    } catch (NumberFormatException e) {
      throw ColumnError.batch("a field's " + FIELD_ID + " is not a number");
    }
  }
}
