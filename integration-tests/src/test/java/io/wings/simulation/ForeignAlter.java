package io.wings.simulation;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** One ALTER TABLE, or CREATE OR REPLACE, of another engine. */
final class ForeignAlter {
  /** The columns that tell a row come first and stay. */
  private static final int LAST_KEY_FIELD = 4;

  private static final int AMOUNT_FIELD = 6;
  private static final int MAX_COLUMNS = 14;

  private final Table table;
  private final Random random;
  private final int number;

  /**
   * @param number of this statement, another for each
   */
  ForeignAlter(Table table, Random random, int number) {
    this.table = table;
    this.random = random;
    this.number = number;
  }

  private List<Types.NestedField> others() {
    return table.schema().columns().stream()
        .filter(field -> field.fieldId() > LAST_KEY_FIELD)
        .toList();
  }

  private Types.NestedField any(List<Types.NestedField> fields) {
    return fields.get(random.nextInt(fields.size()));
  }

  boolean addColumn() {
    if (others().size() >= MAX_COLUMNS) {
      return false;
    }
    List<Type> types =
        List.of(
            Types.IntegerType.get(),
            Types.StringType.get(),
            Types.IntegerType.get(),
            Types.TimestampType.withoutZone());
    UpdateSchema update = table.updateSchema();
    String name = "added_" + number;
    update.addColumn(name, types.get(random.nextInt(types.size())));
    if (random.nextBoolean()) {
      update.moveFirst(name);
    }
    update.commit();
    return true;
  }

  /** Now and then another column gets the old name in the same statement. */
  boolean renameColumn() {
    if (others().isEmpty()) {
      return false;
    }
    Types.NestedField field = any(others());
    UpdateSchema update = table.updateSchema().renameColumn(field.name(), "renamed_" + number);
    if (others().size() < MAX_COLUMNS && random.nextBoolean()) {
      update.commit();
      table.updateSchema().addColumn(field.name(), field.type()).commit();
      return true;
    }
    update.commit();
    return true;
  }

  /** Mostly one that no client knows. */
  boolean dropColumn() {
    List<Types.NestedField> droppable =
        others().stream()
            .filter(field -> field.fieldId() > AMOUNT_FIELD || random.nextInt(8) == 0)
            .toList();
    if (droppable.isEmpty()) {
      return false;
    }
    table.updateSchema().deleteColumn(any(droppable).name()).commit();
    return true;
  }

  boolean moveColumn() {
    List<Types.NestedField> all = table.schema().columns();
    Types.NestedField moved = any(all);
    Types.NestedField after = any(all);
    UpdateSchema update = table.updateSchema();
    if (moved.fieldId() == after.fieldId()) {
      update.moveFirst(moved.name());
    } else {
      update.moveAfter(moved.name(), after.name());
    }
    update.commit();
    return true;
  }

  boolean widenColumn() {
    List<Types.NestedField> narrow =
        others().stream().filter(field -> field.type().typeId() == Type.TypeID.INTEGER).toList();
    if (narrow.isEmpty()) {
      return false;
    }
    table.updateSchema().updateColumn(any(narrow).name(), Types.LongType.get()).commit();
    return true;
  }

  boolean setProperty() {
    table
        .updateProperties()
        .set("comment", "statement " + number)
        .set("wings.commit-interval", 500 + random.nextInt(3_000) + "ms")
        .commit();
    return true;
  }

  boolean evolveSpec() {
    UpdatePartitionSpec update = table.updateSpec();
    if (table.spec().isPartitioned()) {
      table.spec().fields().forEach(field -> update.removeField(field.name()));
    }
    if (!table.spec().isPartitioned() || random.nextBoolean()) {
      update.addField("by_" + number, Expressions.bucket("producer", 2 + random.nextInt(3)));
    }
    update.commit();
    return true;
  }

  /** CREATE OR REPLACE TABLE with the columns that are there, or with the first of them. */
  boolean replace() {
    TableOperations operations = ((HasTableOperations) table).operations();
    TableMetadata base = operations.current();
    Schema schema =
        random.nextBoolean()
            ? base.schema()
            : new Schema(
                base.schema().columns().stream()
                    .filter(field -> field.fieldId() <= AMOUNT_FIELD)
                    .toList());
    operations.commit(
        base,
        base.buildReplacement(
            schema,
            PartitionSpec.unpartitioned(),
            SortOrder.unsorted(),
            base.location(),
            Map.of()));
    return true;
  }
}
