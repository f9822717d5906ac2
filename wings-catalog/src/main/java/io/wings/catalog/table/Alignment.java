package io.wings.catalog.table;

import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * How batches of one incoming schema become batches of the table's schema: data that whoever holds
 * the batches applies. Made by {@link ArrowSchemas#align}; everything that depends on the schemas
 * alone has been checked by then, everything that depends on values (nulls in required columns, a
 * timestamp that overflows nanoseconds) is left to who applies it.
 *
 * @param target the table's schema in Arrow's terms, with field ids ({@link ArrowSchemas#expected})
 * @param columns one per field of {@code target}, in its order
 */
public record Alignment(Schema target, List<Column> columns) {
  public Alignment {
    columns = List.copyOf(columns);
  }

  /** Where the values of one target field come from. */
  public sealed interface Column {
    /** The field that is made. */
    Field target();

    /**
     * Values of an incoming field.
     *
     * @param input index among the incoming fields of the same level (schema or struct)
     */
    record Taken(Field target, int input, Conversion conversion) implements Column {}

    /**
     * The same value in every row, because the stream has no such field, or one of type null.
     *
     * @param value null, or the column's Iceberg {@code write-default} in Iceberg's internal
     *     representation: Boolean, Integer (int; date in days), Long (long; time and timestamp in
     *     micros; timestamp_ns in nanos), Float, Double, CharSequence, UUID, ByteBuffer (binary,
     *     fixed), BigDecimal
     */
    record Filled(Field target, @Nullable Object value) implements Column {}
  }

  /** What happens to the values on the way. */
  public sealed interface Conversion {
    /** Nothing: the incoming vector has the target's type and layout at every level. */
    record Same() implements Conversion {}

    /**
     * A primitive is widened, or loses a physical detail (large, view, a time zone's name). Never
     * loses information; where a value may not fit (seconds to nanoseconds, a date that isn't a
     * whole day), the value is refused.
     */
    record Cast(ArrowType from, ArrowType to) implements Conversion {}

    /** Fields of a struct, in the target's order. */
    record Fields(List<Column> columns) implements Conversion {
      public Fields {
        columns = List.copyOf(columns);
      }
    }

    /** Any kind of list (large, fixed size, view) to a plain list. */
    record Elements(Conversion element) implements Conversion {}

    /** Keys and values of a map. */
    record Entries(Conversion key, Conversion value) implements Conversion {}
  }

  /** Whether the incoming vectors can be taken as they are, in their order. */
  public boolean identity() {
    for (int i = 0; i < columns.size(); i++) {
      if (!(columns.get(i) instanceof Column.Taken(_, int input, Conversion.Same()))
          || input != i) {
        return false;
      }
    }
    return true;
  }
}
