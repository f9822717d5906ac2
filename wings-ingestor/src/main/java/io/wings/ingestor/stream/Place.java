package io.wings.ingestor.stream;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Where in a batch something is, for the message of an error: the path of a column and a way from
 * an index at its own level back to the row.
 */
final class Place {
  private final @Nullable Place parent;
  private final String name;
  private final IntUnaryOperator toParent;

  private Place(@Nullable Place parent, String name, IntUnaryOperator toParent) {
    this.parent = parent;
    this.name = name;
    this.toParent = toParent;
  }

  static Place column(String name) {
    return new Place(null, name, IntUnaryOperator.identity());
  }

  /** A child whose indexes are its parent's. */
  Place child(String name) {
    return new Place(this, name, IntUnaryOperator.identity());
  }

  /**
   * A child with indexes of its own.
   *
   * @param toParent from an index of the child to its parent's
   */
  Place child(String name, IntUnaryOperator toParent) {
    return new Place(this, name, toParent);
  }

  String path() {
    StringBuilder path = new StringBuilder();
    append(path);
    return Printable.of(path.toString());
  }

  private void append(StringBuilder path) {
    if (parent != null) {
      parent.append(path);
      path.append('.');
    }
    path.append(name);
  }

  private int row(int index) {
    int at = index;
    for (Place p = this; p.parent != null; p = p.parent) {
      at = p.toParent.applyAsInt(at);
    }
    return at;
  }

  /** The batch contradicts itself: no row is to blame. */
  WingsException malformed(String what, String expected, String got) {
    return WingsException.invalid(
        "batch-malformed",
        "column \"%s\": %s: expected %s, got %s; the sender's Arrow data is broken, don't send it again"
            .formatted(path(), what, expected, Printable.of(got)));
  }

  /** The batch contradicts itself at one value. */
  WingsException malformed(int index, String what, String expected, String got) {
    return WingsException.invalid(
        "batch-malformed",
        "column \"%s\", row %d: %s: expected %s, got %s; the sender's Arrow data is broken, don't send it again"
            .formatted(path(), row(index), what, expected, Printable.of(got)));
  }

  /** A well-formed value that its column can't take. */
  WingsException value(int index, String code, String expected, String got) {
    return WingsException.invalid(
        code,
        "column \"%s\", row %d: expected %s, got %s; correct the row, then send it again"
            .formatted(path(), row(index), expected, Printable.of(got)));
  }

  /** A column whose type or shape can't be taken. */
  WingsException schema(String code, String expected, String got) {
    return WingsException.invalid(
        code, "column \"%s\": expected %s, got %s".formatted(path(), expected, Printable.of(got)));
  }
}
