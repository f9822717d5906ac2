package io.wings.ingestor.stream;

import io.wings.catalog.table.Alignment;
import io.wings.catalog.table.Alignment.Conversion;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/** Applies an {@link Alignment} to the columns of one batch, and holds nulls against the table. */
final class Aligning {
  private final int rows;
  private final Arena arena;

  Aligning(int rows, Arena arena) {
    this.rows = rows;
    this.arena = arena;
  }

  /** Columns of the alignment's target, in its order. */
  List<Column> apply(Alignment alignment, List<Column> incoming) {
    List<Column> columns = new ArrayList<>(alignment.columns().size());
    for (Alignment.Column column : alignment.columns()) {
      Place place = Place.column(column.target().getName());
      Column made = make(column, incoming, rows, place);
      refuseNulls(made, column.target(), null, place);
      columns.add(made);
    }
    return columns;
  }

  private Column make(Alignment.Column column, List<Column> incoming, int length, Place place) {
    return switch (column) {
      case Alignment.Column.Taken(Field target, int input, Conversion conversion) ->
          convert(incoming.get(input), target, conversion, place);
      case Alignment.Column.Filled(Field target, Object value) ->
          value == null
              ? Constant.nulls(target, length, arena)
              : Constant.of(target, value, length, arena);
    };
  }

  private Column convert(Column from, Field target, Conversion conversion, Place place) {
    return switch (conversion) {
      case Conversion.Same _ -> from;
      case Conversion.Cast(_, ArrowType to) -> Cast.of(from, to, arena, place);
      case Conversion.Fields(List<Alignment.Column> columns) -> {
        List<Column> children = new ArrayList<>(columns.size());
        for (Alignment.Column column : columns) {
          Place below = place.child(column.target().getName());
          children.add(make(column, from.children(), from.length(), below));
        }
        yield with(from, children);
      }
      case Conversion.Elements(Conversion element) -> {
        Field to = target.getChildren().getFirst();
        yield with(from, List.of(convert(from.child(0), to, element, items(from, to, place))));
      }
      case Conversion.Entries(Conversion key, Conversion value) -> {
        Field entry = target.getChildren().getFirst();
        Place below = items(from, entry, place);
        Column entries = from.child(0);
        List<Column> both =
            List.of(
                entry(entries.child(0), entry.getChildren().get(0), key, below),
                entry(entries.child(1), entry.getChildren().get(1), value, below));
        yield with(from, List.of(with(entries, both)));
      }
    };
  }

  private Column entry(Column from, Field to, Conversion conversion, Place entries) {
    return convert(from, to, conversion, entries.child(to.getName()));
  }

  private static Column with(Column from, List<Column> children) {
    return new Column(
        from.type(),
        from.length(),
        from.nulls(),
        from.validity(),
        from.offsets(),
        from.data(),
        children);
  }

  private static Place items(Column lists, Field item, Place place) {
    IntBuffer offsets = lists.offsetInts();
    return place.child(item.getName(), at -> Offsets.owner(offsets, lists.length(), at));
  }

  /** Whether a slot of a level counts: not below a null, and within a list. */
  private interface Live {
    boolean at(int index);
  }

  /**
   * Refuses nulls where the table takes none. A null struct or list answers for all below it.
   *
   * @param live which slots count; null: all
   */
  private void refuseNulls(Column column, Field target, @Nullable Live live, Place place) {
    if (!target.isNullable() && column.nulls() > 0) {
      for (int i = 0; i < column.length(); i++) {
        if (column.isNull(i) && (live == null || live.at(i))) {
          throw place.value(i, "null-in-required-column", "a value", "null");
        }
      }
    }
    switch (Layout.of(column.type())) {
      case Layout.Structs _ -> {
        Live below = column.nulls() == 0 ? live : i -> !column.isNull(i) && isLive(live, i);
        for (int i = 0; i < column.children().size(); i++) {
          Field child = target.getChildren().get(i);
          refuseNulls(column.child(i), child, below, place.child(child.getName()));
        }
      }
      case Layout.Lists _ -> {
        Field item = target.getChildren().getFirst();
        IntBuffer offsets = column.offsetInts();
        Live below =
            at -> {
              int owner = Offsets.owner(offsets, column.length(), at);
              return column.length() > 0
                  && offsets.get(owner) <= at
                  && at < offsets.get(owner + 1)
                  && !column.isNull(owner)
                  && isLive(live, owner);
            };
        refuseNulls(column.child(0), item, below, items(column, item, place));
      }
      default -> {}
    }
  }

  private static boolean isLive(@Nullable Live live, int index) {
    return live == null || live.at(index);
  }
}
