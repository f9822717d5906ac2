package io.wings.worker.engine;

import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;

/** Brings one column of a batch, or one vector inside it, into the engine's form. */
@FunctionalInterface
interface ColumnAligner {
  /**
   * Fills {@code target}, which is empty, with the values of {@code source}; buffers are shared
   * where the forms agree.
   */
  void align(FieldVector source, Slots slots, FieldVector target) throws InterruptedException;

  /** For forms that agree to the byte. */
  ColumnAligner SHARED = (source, slots, target) -> share(source, target);

  /** For forms that agree to the byte: the vector's own buffers, without its children's. */
  static void share(FieldVector source, FieldVector target) {
    target.loadFieldBuffers(
        new ArrowFieldNode(source.getValueCount(), source.getNullCount()),
        source.getFieldBuffers());
  }

  /** {@code check} may refuse the values, which are then shared. */
  static ColumnAligner checked(ColumnCheck check) {
    return (source, slots, target) -> {
      check.check(source, slots);
      share(source, target);
    };
  }

  /** All of {@code checks} before {@code aligner}. */
  static ColumnAligner after(List<ColumnCheck> checks, ColumnAligner aligner) {
    return (source, slots, target) -> {
      for (ColumnCheck check : checks) {
        check.check(source, slots);
      }
      aligner.align(source, slots, target);
    };
  }
}
