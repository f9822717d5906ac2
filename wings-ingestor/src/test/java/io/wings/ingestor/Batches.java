package io.wings.ingestor;

import io.wings.ingestor.stream.Frames;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;

/** Frames of small streams: an id and a name a row. */
final class Batches {
  private Batches() {}

  static Frames schema() {
    return frames(new String[] {}).getFirst();
  }

  /** A batch with the ids, each named {@code n<id>}. */
  static Frames ids(long... ids) {
    return frames(root -> fill(root, ids)).getLast();
  }

  /** A batch whose one row has no id, which the table requires. */
  static Frames withoutId() {
    return frames(new String[] {"nobody"}).getLast();
  }

  private static List<Frames> frames(String[] names) {
    return frames(
        root -> {
          VarCharVector name = (VarCharVector) root.getVector(1);
          for (int i = 0; i < names.length; i++) {
            name.setSafe(i, names[i].getBytes(StandardCharsets.UTF_8));
          }
          root.setRowCount(names.length);
        });
  }

  private static void fill(VectorSchemaRoot root, long[] ids) {
    BigIntVector id = (BigIntVector) root.getVector(0);
    VarCharVector name = (VarCharVector) root.getVector(1);
    for (int i = 0; i < ids.length; i++) {
      id.setSafe(i, ids[i]);
      name.setSafe(i, ("n" + ids[i]).getBytes(StandardCharsets.UTF_8));
    }
    root.setRowCount(ids.length);
  }

  private static List<Frames> frames(java.util.function.Consumer<VectorSchemaRoot> fill) {
    try (BufferAllocator allocator = new RootAllocator(1 << 26);
        BigIntVector id = new BigIntVector("id", allocator);
        VarCharVector name = new VarCharVector("name", allocator);
        VectorSchemaRoot root = VectorSchemaRoot.of(id, name)) {
      root.allocateNew();
      fill.accept(root);
      return Frames.of(root, new DictionaryProvider.MapDictionaryProvider());
    }
  }
}
