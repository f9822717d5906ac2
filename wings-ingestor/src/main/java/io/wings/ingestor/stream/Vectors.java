package io.wings.ingestor.stream;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Schema;

/** Puts checked columns into Arrow vectors, without copies. */
final class Vectors {
  private Vectors() {}

  /** The caller closes it; until then the vectors keep the columns' memory. */
  static VectorSchemaRoot load(
      Schema schema, List<Column> columns, int rows, BufferAllocator allocator) {
    List<FieldVector> vectors = new ArrayList<>(columns.size());
    try {
      for (int i = 0; i < columns.size(); i++) {
        FieldVector vector = schema.getFields().get(i).createVector(allocator);
        vectors.add(vector);
        load(vector, columns.get(i), allocator.getEmpty());
      }
      return new VectorSchemaRoot(schema, vectors, rows);
    } catch (RuntimeException e) {
      vectors.forEach(FieldVector::close);
      throw e;
    }
  }

  private static void load(FieldVector vector, Column column, ArrowBuf none) {
    ArrowBuf validity = column.validity() == null ? none : column.validity();
    List<ArrowBuf> buffers =
        switch (Layout.of(column.type())) {
          case Layout.Bits _, Layout.Fixed _ -> List.of(validity, column.data());
          case Layout.Bytes _ -> List.of(validity, column.offsets(), column.data());
          case Layout.Lists _ -> List.of(validity, column.offsets());
          case Layout.Structs _ -> List.of(validity);
          default -> List.of();
        };
    vector.loadFieldBuffers(new ArrowFieldNode(column.length(), column.nulls()), buffers);
    List<FieldVector> children = vector.getChildrenFromFields();
    for (int i = 0; i < children.size(); i++) {
      load(children.get(i), column.child(i), none);
    }
  }
}
