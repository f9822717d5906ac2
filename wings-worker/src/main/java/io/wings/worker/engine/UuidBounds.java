package io.wings.worker.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.util.UUIDUtil;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of uuids that are right in both orders that readers use: Parquet, Trino and DuckDB compare
 * sixteen unsigned bytes, Iceberg's evaluators, over files and over row groups, two signed numbers,
 * and so skip rows that a filter matches. Where the upper halves of a column's bounds have one
 * sign, both orders agree on upper halves; then one less and one more than those bound every value,
 * whatever its lower half. Else there are no bounds. Time-ordered uuids keep theirs; random ones
 * had none that helped.
 */
record UuidBounds(ByteBuffer lower, ByteBuffer upper) {
  private static final int TAIL_BYTES = 8;

  /** Bounds that hold in both orders; null when there are none. */
  static @Nullable UuidBounds of(ByteBuffer unsignedMin, ByteBuffer unsignedMax) {
    long from = UUIDUtil.convert(unsignedMin.duplicate()).getMostSignificantBits();
    long to = UUIDUtil.convert(unsignedMax.duplicate()).getMostSignificantBits();
    boolean oneSign = (from ^ to) >= 0;
    boolean atTheEnd = (from & Long.MAX_VALUE) == 0 || (to & Long.MAX_VALUE) == Long.MAX_VALUE;
    return oneSign && !atTheEnd
        ? new UuidBounds(
            UUIDUtil.convertToByteBuffer(new UUID(from - 1, 0)),
            UUIDUtil.convertToByteBuffer(new UUID(to + 1, 0)))
        : null;
  }

  static boolean concern(FileSchema schema) {
    return TypeUtil.find(schema.schema(), type -> type.typeId() == Type.TypeID.UUID) != null;
  }

  /** Corrects the row groups' statistics in a local Parquet file, by writing its footer anew. */
  static void correctFooter(Path path) throws IOException {
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long end = file.size() - TAIL_BYTES;
      ByteBuffer tail = ByteBuffer.allocate(TAIL_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      readFully(file.position(end), tail);
      long start = end - tail.getInt(0);
      FileMetaData footer;
      try (InputStream in = input(file.position(start))) {
        footer = Util.readFileMetaData(in);
      }
      correct(footer);
      file.truncate(start).position(start);
      OutputStream out = Channels.newOutputStream(file);
      Util.writeFileMetaData(footer, out);
      tail.putInt(0, Math.toIntExact(file.position() - start));
      out.write(tail.array());
    }
  }

  private static void readFully(FileChannel file, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      if (file.read(buffer) < 0) {
        throw new IOException("a Parquet file ends early");
      }
    }
  }

  /** Buffered; closing it leaves the channel open. */
  private static InputStream input(FileChannel file) {
    return new java.io.BufferedInputStream(
        new java.io.FilterInputStream(Channels.newInputStream(file)) {
          @Override
          public void close() {}
        });
  }

  // The generated getters of required fields are annotated as nullable.
  @SuppressWarnings("NullAway")
  private static void correct(FileMetaData footer) {
    List<SchemaElement> leaves = new ArrayList<>();
    for (SchemaElement element : footer.getSchema()) {
      if (element.isSetType()) {
        leaves.add(element);
      }
    }
    for (RowGroup group : footer.getRow_groups()) {
      for (int i = 0; i < leaves.size(); i++) {
        SchemaElement leaf = leaves.get(i);
        ColumnChunk column = group.getColumns().get(i);
        if (leaf.isSetLogicalType()
            && leaf.getLogicalType().isSetUUID()
            && column.getMeta_data().isSetStatistics()) {
          correct(column.getMeta_data().getStatistics());
        }
      }
    }
  }

  private static void correct(Statistics statistics) {
    UuidBounds bounds =
        statistics.isSetMin_value() && statistics.isSetMax_value()
            ? of(
                ByteBuffer.wrap(statistics.getMin_value()),
                ByteBuffer.wrap(statistics.getMax_value()))
            : null;
    statistics.unsetMin();
    statistics.unsetMax();
    statistics.unsetMin_value();
    statistics.unsetMax_value();
    statistics.unsetIs_min_value_exact();
    statistics.unsetIs_max_value_exact();
    if (bounds != null) {
      statistics.setMin_value(bounds.lower);
      statistics.setMax_value(bounds.upper);
      statistics.setIs_min_value_exact(false);
      statistics.setIs_max_value_exact(false);
    }
  }
}
