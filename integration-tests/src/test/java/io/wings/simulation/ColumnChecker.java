package io.wings.simulation;

import io.wings.simulation.Batches.Columns;
import io.wings.simulation.Book.Row;
import io.wings.simulation.Book.Sent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * Values are in the columns that were meant, whatever these are called by now: a column that only
 * got a name after a batch was stored can't be the one that the batch meant by it.
 */
final class ColumnChecker {
  private static final int NOTE_FIELD = 5;
  private static final int AMOUNT_FIELD = 6;

  /** A name that a column has had, since when. */
  private record Name(String name, long since) {}

  private final World world;
  private final Map<Integer, List<Name>> names = new HashMap<>();
  private final Map<Sent, List<Columns>> sent = new HashMap<>();
  private final Map<Sent, Long> acked = new HashMap<>();
  private @Nullable Schema schema;
  private boolean dropped;

  ColumnChecker(World world) {
    this.world = world;
  }

  /** The table's schema is this from now on. */
  void are(Schema now) {
    Schema before = schema;
    schema = now;
    if (before != null && before.sameSchema(now)) {
      return;
    }
    for (Types.NestedField field : now.columns()) {
      List<Name> known = names.computeIfAbsent(field.fieldId(), _ -> new ArrayList<>());
      if (known.isEmpty() || !known.getLast().name.equals(field.name())) {
        known.add(new Name(field.name(), world.scheduler().now()));
      }
    }
    dropped |=
        before != null
            && before.columns().stream().anyMatch(field -> now.findField(field.fieldId()) == null);
  }

  /** What a client takes the table's columns for; now and then it brings one that isn't there. */
  Columns ofStream(int producer) {
    Schema known = schema;
    List<String> texts = new ArrayList<>();
    if (known != null && known.findField(NOTE_FIELD) != null) {
      texts.add(known.findField(NOTE_FIELD).name());
    }
    Random random = world.scheduler().choices();
    if (world.scenario().table().addsColumns() && random.nextInt(4) == 0) {
      texts.add("of_client_" + (random.nextBoolean() ? producer : 0));
    }
    Types.NestedField amount = known == null ? null : known.findField(AMOUNT_FIELD);
    boolean encoded = Math.floorMod(world.scenario().seed() + producer, 2) == 1;
    return new Columns(texts, amount == null ? null : amount.name(), encoded);
  }

  void sent(Sent batch, Columns columns) {
    sent.computeIfAbsent(batch, _ -> new ArrayList<>()).add(columns);
  }

  void acked(Sent batch) {
    long _ = acked.merge(batch, world.scheduler().now(), Math::min);
  }

  private boolean bore(int field, String name, long until) {
    return names.getOrDefault(field, List.of()).stream()
        .anyMatch(known -> known.name.equals(name) && known.since <= until);
  }

  /** What is wrong with a row of the table. */
  List<String> violations(Record record) {
    Row row = TableChecker.row(record);
    if (row.producer() == ForeignTable.PRODUCER) {
      return List.of();
    }
    Sent batch = new Sent(row.producer(), row.attempt(), row.sequence());
    List<Columns> meant = sent.getOrDefault(batch, List.of());
    long until = acked.getOrDefault(batch, Long.MAX_VALUE);
    List<String> wrong = new ArrayList<>();
    int values = 0;
    for (Types.NestedField field : record.struct().fields()) {
      Object value = record.getField(field.name());
      if (field.fieldId() >= NOTE_FIELD && value != null) {
        values++;
        if (!isMeant(field.fieldId(), value, batch, meant, until)) {
          wrong.add(
              "column %d (%s, %s) of %s holds %s"
                  .formatted(
                      field.fieldId(), field.name(), names.get(field.fieldId()), row, value));
        }
      }
    }
    int brought = values;
    if (!dropped && !meant.isEmpty() && meant.stream().noneMatch(c -> count(c) == brought)) {
      wrong.add("%s has values in %d columns, sent were %s".formatted(row, values, meant));
    }
    return wrong;
  }

  private static int count(Columns columns) {
    return columns.texts().size() + (columns.amount() == null ? 0 : 1);
  }

  private boolean isMeant(int field, Object value, Sent batch, List<Columns> meant, long until) {
    for (Columns columns : meant) {
      for (String text : columns.texts()) {
        if (value.equals(Batches.text(text, batch.producer(), batch.sequence()))
            && bore(field, text, until)) {
          return true;
        }
      }
      if (columns.amount() != null
          && value instanceof Number number
          && number.longValue() == Batches.amount(batch.producer(), batch.sequence())
          && bore(field, columns.amount(), until)) {
        return true;
      }
    }
    return false;
  }
}
