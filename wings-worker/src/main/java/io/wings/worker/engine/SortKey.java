package io.wings.worker.engine;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.SortField;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * One field of a table's sort order, as DuckDB sorts by it.
 *
 * @param type of the key
 * @param computed whether the key is a column of its own, filled by Iceberg's transform; otherwise
 *     DuckDB sorts by the source field, whose order is the same
 * @param expression what to sort by; the column's name, where it is computed
 */
record SortKey(SortField field, Type type, boolean computed, String expression) {
  /** The sort order's keys, without those that are always null. */
  static List<SortKey> of(SortOrder order, FileSchema schema) {
    List<SortKey> keys = new ArrayList<>();
    for (SortField field : order.fields()) {
      FieldPath path = FieldPath.to(field.sourceId(), schema);
      if (path != null && !field.transform().isVoid()) {
        if (field.transform().isIdentity()) {
          keys.add(new SortKey(field, path.type(), false, Sql.path(path.fields())));
        } else {
          Type type = field.transform().getResultType(path.type());
          keys.add(new SortKey(field, type, true, schema.unusedName("wings_key_" + keys.size())));
        }
      }
    }
    return List.copyOf(keys);
  }

  /** For {@code ORDER BY}. */
  List<String> orderBy() {
    return Sql.sortKey(
        computed ? Sql.quote(expression) : expression, type, field.direction(), field.nullOrder());
  }

  /** Writes a computed key's column, batch by batch. */
  static final class Column {
    private final TransformedField source;
    private final ArrowValues.Writer writer;
    private final FieldVector vector;
    private final Type type;

    Column(SortKey key, FileSchema schema, List<FieldVector> columns, FieldVector vector) {
      this.source =
          TransformedField.of(key.field.sourceId(), key.field.transform(), schema, columns);
      this.writer = ArrowValues.writer(key.type, vector);
      this.vector = vector;
      this.type = key.type;
    }

    void fill(int rows) {
      vector.setInitialCapacity(rows);
      vector.allocateNew();
      for (int row = 0; row < rows; row++) {
        Object value = source.value(row);
        if (value != null) {
          writer.write(row, TransformedField.isTooLong(value, type) ? least() : value);
        }
      }
      vector.setValueCount(rows);
    }

    /** Of decimals: it is in the order where what was rounded down beyond it would be. */
    private BigDecimal least() {
      Types.DecimalType decimal = (Types.DecimalType) type;
      BigInteger unscaled = BigInteger.ONE.subtract(BigInteger.TEN.pow(decimal.precision()));
      return new BigDecimal(unscaled, decimal.scale());
    }
  }
}
