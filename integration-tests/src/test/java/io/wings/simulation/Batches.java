package io.wings.simulation;

import com.google.protobuf.ByteString;
import io.wings.common.flight.BatchMetadata;
import io.wings.common.flight.FlightFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * What producers send. A batch's content follows from who sends it and its number, so every row is
 * known by {@code (producer, attempt, sequence, row)}.
 */
final class Batches {
  /** The table as it is made. */
  static final org.apache.iceberg.Schema TABLE =
      new org.apache.iceberg.Schema(
          Types.NestedField.required(1, "producer", Types.IntegerType.get()),
          Types.NestedField.required(2, "attempt", Types.IntegerType.get()),
          Types.NestedField.required(3, "sequence", Types.LongType.get()),
          Types.NestedField.required(4, "row", Types.IntegerType.get()),
          Types.NestedField.optional(5, "note", Types.StringType.get()),
          Types.NestedField.optional(6, "amount", Types.IntegerType.get()));

  /**
   * Columns of a stream beside the four that tell a row.
   *
   * @param texts each value names its column as the client knows it
   * @param amount null: none
   */
  record Columns(List<String> texts, @Nullable String amount) {
    Columns {
      texts = List.copyOf(texts);
    }
  }

  /** No message of a stream is larger. */
  static final int MAX_FRAME_BYTES = 2 << 10;

  private static final int MAX_ROWS = 4;

  private final BufferAllocator allocator;

  Batches(BufferAllocator allocator) {
    this.allocator = allocator;
  }

  /** Rows of a batch. */
  static int rows(int producer, long sequence) {
    return 1 + Math.floorMod(31L * producer + 7 * sequence, MAX_ROWS);
  }

  /** Whether a batch breaks the table's rules: a null where there must be a value. */
  static boolean isBad(int producer, long sequence) {
    return Math.floorMod(17L * producer + sequence, 11) == 5;
  }

  /** What stands in a column of text. */
  static String text(String column, int producer, long sequence) {
    return column + " " + producer + "/" + sequence;
  }

  static int amount(int producer, long sequence) {
    return Math.toIntExact(producer * 1_000L + sequence);
  }

  private static Schema schema(Columns columns) {
    List<Field> fields = new ArrayList<>();
    fields.add(Field.nullable("producer", new ArrowType.Int(32, true)));
    fields.add(Field.nullable("attempt", new ArrowType.Int(32, true)));
    fields.add(Field.nullable("sequence", new ArrowType.Int(64, true)));
    fields.add(Field.nullable("row", new ArrowType.Int(32, true)));
    for (String text : columns.texts) {
      fields.add(new Field(text, FieldType.nullable(ArrowType.Utf8.INSTANCE), null));
    }
    if (columns.amount != null) {
      fields.add(Field.nullable(columns.amount, new ArrowType.Int(32, true)));
    }
    return new Schema(fields);
  }

  /** The first frame of a stream. */
  FlightFrame opening(Flight.FlightDescriptor descriptor, Columns columns) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema(columns), allocator)) {
      return frame(messages(root).getFirst()).withDescriptor(descriptor);
    }
  }

  /** A batch's frame. */
  FlightFrame batch(
      int producer, int attempt, long sequence, BatchMetadata metadata, Columns columns) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema(columns), allocator)) {
      int rows = rows(producer, sequence);
      for (int row = 0; row < rows; row++) {
        ((IntVector) root.getVector("producer")).setSafe(row, producer);
        ((IntVector) root.getVector("attempt")).setSafe(row, attempt);
        ((BigIntVector) root.getVector("sequence")).setSafe(row, sequence);
        ((IntVector) root.getVector("row")).setSafe(row, row);
        for (String text : columns.texts) {
          ((VarCharVector) root.getVector(text))
              .setSafe(row, text(text, producer, sequence).getBytes(StandardCharsets.UTF_8));
        }
        if (columns.amount != null) {
          ((IntVector) root.getVector(columns.amount)).setSafe(row, amount(producer, sequence));
        }
      }
      if (isBad(producer, sequence)) {
        ((IntVector) root.getVector("row")).setNull(0);
      }
      root.setRowCount(rows);
      return new FlightFrame(
          data(messages(root).get(1)).setAppMetadata(metadata.toJson()).build().toByteArray());
    }
  }

  private record Cut(ByteBuffer header, ByteBuffer body) {}

  private static FlightFrame frame(Cut message) {
    return new FlightFrame(data(message).build().toByteArray());
  }

  private static Flight.FlightData.Builder data(Cut message) {
    return Flight.FlightData.newBuilder()
        .setDataHeader(ByteString.copyFrom(message.header.duplicate()))
        .setDataBody(ByteString.copyFrom(message.body.duplicate()));
  }

  private static List<Cut> messages(VectorSchemaRoot root) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ArrowStreamWriter writer = new ArrowStreamWriter(root, null, Channels.newChannel(out))) {
      writer.start();
      writer.writeBatch();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<Cut> messages = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(out.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    while (in.remaining() >= 8 && in.getInt() == -1) {
      int length = in.getInt();
      if (length == 0) {
        break;
      }
      ByteBuffer header = in.slice(in.position(), length).order(ByteOrder.LITTLE_ENDIAN);
      in.position(in.position() + length);
      int body =
          Math.toIntExact(
              Message.getRootAsMessage(header.duplicate().order(ByteOrder.LITTLE_ENDIAN))
                  .bodyLength());
      messages.add(new Cut(header, in.slice(in.position(), body)));
      in.position(in.position() + body);
    }
    return messages;
  }
}
