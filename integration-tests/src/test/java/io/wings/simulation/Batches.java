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
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
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
   * @param encoded whether the first of the texts goes as indices into a dictionary, which changes
   *     every few batches
   */
  record Columns(List<String> texts, @Nullable String amount, boolean encoded) {
    Columns {
      texts = List.copyOf(texts);
    }

    private @Nullable String inDictionary() {
      return encoded && !texts.isEmpty() ? texts.getFirst() : null;
    }
  }

  /** No message of a stream is larger. */
  static final int MAX_FRAME_BYTES = 2 << 10;

  private static final int MAX_ROWS = 4;

  /** A dictionary has the texts of so many batches. */
  private static final int BATCHES_OF_A_DICTIONARY = 3;

  private static final DictionaryEncoding ENCODING = new DictionaryEncoding(1, false, null);

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
      FieldType type =
          text.equals(columns.inDictionary())
              ? new FieldType(true, new ArrowType.Int(32, true), ENCODING)
              : FieldType.nullable(ArrowType.Utf8.INSTANCE);
      fields.add(new Field(text, type, null));
    }
    if (columns.amount != null) {
      fields.add(Field.nullable(columns.amount, new ArrowType.Int(32, true)));
    }
    return new Schema(fields);
  }

  /** The first frame of a stream. */
  FlightFrame opening(Flight.FlightDescriptor descriptor, Columns columns) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema(columns), allocator)) {
      return frame(messages(root, columns, 1, 1).getFirst()).withDescriptor(descriptor);
    }
  }

  /**
   * A batch's frame, and before it that of the dictionary that it needs.
   *
   * @param first of its stream
   */
  List<FlightFrame> batch(
      int producer,
      int attempt,
      long sequence,
      boolean first,
      BatchMetadata metadata,
      Columns columns) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema(columns), allocator)) {
      int rows = rows(producer, sequence);
      for (int row = 0; row < rows; row++) {
        ((IntVector) root.getVector("producer")).setSafe(row, producer);
        ((IntVector) root.getVector("attempt")).setSafe(row, attempt);
        ((BigIntVector) root.getVector("sequence")).setSafe(row, sequence);
        ((IntVector) root.getVector("row")).setSafe(row, row);
        for (String text : columns.texts) {
          if (root.getVector(text) instanceof IntVector indices) {
            indices.setSafe(row, Math.floorMod(sequence, BATCHES_OF_A_DICTIONARY));
          } else {
            set(root.getVector(text), row, text(text, producer, sequence));
          }
        }
        if (columns.amount != null) {
          ((IntVector) root.getVector(columns.amount)).setSafe(row, amount(producer, sequence));
        }
      }
      if (isBad(producer, sequence)) {
        ((IntVector) root.getVector("row")).setNull(0);
      }
      root.setRowCount(rows);
      List<Cut> messages = messages(root, columns, producer, sequence);
      List<FlightFrame> frames = new ArrayList<>();
      if (first || Math.floorMod(sequence, BATCHES_OF_A_DICTIONARY) == 0) {
        // All but the schema before them and the batch behind them.
        messages.subList(1, messages.size() - 1).forEach(message -> frames.add(frame(message)));
      }
      frames.add(
          new FlightFrame(
              data(messages.getLast()).setAppMetadata(metadata.toJson()).build().toByteArray()));
      return frames;
    }
  }

  private static void set(FieldVector vector, int row, String text) {
    ((VarCharVector) vector).setSafe(row, text.getBytes(StandardCharsets.UTF_8));
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

  /** The schema, the dictionary as of {@code sequence} if there is one, and the batch. */
  private List<Cut> messages(VectorSchemaRoot root, Columns columns, int producer, long sequence) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (VarCharVector texts = new VarCharVector("texts", allocator)) {
      String encoded = columns.inDictionary();
      if (encoded != null) {
        long from = sequence - Math.floorMod(sequence, BATCHES_OF_A_DICTIONARY);
        for (int i = 0; i < BATCHES_OF_A_DICTIONARY; i++) {
          set(texts, i, text(encoded, producer, from + i));
        }
        texts.setValueCount(BATCHES_OF_A_DICTIONARY);
      }
      write(root, new Dictionary(texts, ENCODING), out);
    }
    return cut(out);
  }

  private static void write(
      VectorSchemaRoot root, Dictionary dictionary, ByteArrayOutputStream out) {
    DictionaryProvider known = new DictionaryProvider.MapDictionaryProvider(dictionary);
    try (ArrowStreamWriter writer = new ArrowStreamWriter(root, known, Channels.newChannel(out))) {
      writer.start();
      writer.writeBatch();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Cut> cut(ByteArrayOutputStream out) {
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
