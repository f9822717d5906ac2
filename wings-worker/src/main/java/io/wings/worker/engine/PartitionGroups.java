package io.wings.worker.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;

/**
 * The partitions of one run, numbered in the order in which their first rows came. Values are told
 * apart as Java's boxed types do: NaN equals itself, -0.0 is not 0.0.
 */
final class PartitionGroups {
  /** Copied for each partition: making one from the type is slow. */
  private final PartitionData empty;

  private final List<PartitionCodes> fields = new ArrayList<>();

  /** For each field after the first: (group of the fields before it, its code) to group. */
  private final List<Map<Long, Integer>> steps = new ArrayList<>();

  private final List<int[]> codesOfGroups = new ArrayList<>();
  private long[] rows = new long[16];
  private final int[] lastCodes;
  private int lastGroup = -1;

  /**
   * @param columns vectors that will hold one batch after another, in the order of the file schema
   */
  PartitionGroups(PartitionSpec spec, FileSchema schema, List<FieldVector> columns) {
    this.empty = new PartitionData(spec.partitionType());
    spec.fields()
        .forEach(
            field -> {
              fields.add(
                  PartitionCodes.of(
                      TransformedField.of(field.sourceId(), field.transform(), schema, columns)));
              steps.add(new HashMap<>());
            });
    this.lastCodes = new int[fields.size()];
  }

  /** Writes the group of each row of the current batch. */
  void assign(int count, IntVector groups) {
    groups.allocateNew(count);
    int[] codes = new int[fields.size()];
    for (int row = 0; row < count; row++) {
      for (int i = 0; i < codes.length; i++) {
        codes[i] = fields.get(i).code(row);
      }
      int group = groupOf(codes);
      rows[group]++;
      groups.set(row, group);
    }
    groups.setValueCount(count);
  }

  private int groupOf(int[] codes) {
    if (lastGroup >= 0 && Arrays.equals(codes, lastCodes)) {
      return lastGroup;
    }
    long group = 0;
    for (int i = 0; i < codes.length; i++) {
      Map<Long, Integer> step = steps.get(i);
      group = step.computeIfAbsent(group << Integer.SIZE | codes[i], _ -> step.size());
    }
    int found = (int) group;
    if (found == codesOfGroups.size()) {
      codesOfGroups.add(codes.clone());
      rows = found == rows.length ? Arrays.copyOf(rows, found * 2) : rows;
    }
    System.arraycopy(codes, 0, lastCodes, 0, codes.length);
    lastGroup = found;
    return found;
  }

  int size() {
    return codesOfGroups.size();
  }

  long rows(int group) {
    return rows[group];
  }

  PartitionData partition(int group) {
    PartitionData partition = empty.copy();
    int[] codes = codesOfGroups.get(group);
    for (int i = 0; i < codes.length; i++) {
      partition.set(i, fields.get(i).value(codes[i]));
    }
    return partition;
  }
}
