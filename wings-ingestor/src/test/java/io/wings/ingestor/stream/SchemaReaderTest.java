package io.wings.ingestor.stream;

import static io.wings.ingestor.stream.Crafted.field;
import static io.wings.ingestor.stream.Crafted.required;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.flatbuffers.FlatBufferBuilder;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.UnionMode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** Schemas that are taken, and those that are not. */
class SchemaReaderTest {
  private static final ArrowType INT = new ArrowType.Int(32, true);

  private static List<Field> read(ByteBuffer header) {
    return ((io.wings.ingestor.stream.Message.SchemaMessage)
            new MessageReader(Decoded.LIMITS).read(header))
        .fields();
  }

  private static void assertRefused(String expected, Field... fields) {
    assertRefused(expected, Crafted.schema(fields).header());
  }

  private static void assertRefused(String expected, ByteBuffer header) {
    WingsException refused = assertThrows(WingsException.class, () -> read(header));
    assertEquals(ErrorKind.INVALID, refused.kind());
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.startsWith(expected), message);
  }

  @Test
  void keepsNamesTypesAndMetadata() {
    Field uuid =
        new Field(
            "é",
            new FieldType(
                false,
                new ArrowType.FixedSizeBinary(16),
                null,
                Map.of("ARROW:extension:name", "arrow.uuid")),
            List.of());
    assertEquals(List.of(uuid), read(Crafted.schema(uuid).header()));
  }

  @Test
  void refusesTypesThatIcebergHasNot() {
    assertRefused(
        "type-unsupported: column \"u\"",
        field("u", new ArrowType.Union(UnionMode.Dense, new int[] {0}), field("x", INT)));
    assertRefused(
        "type-unsupported: column \"i\"",
        field("i", new ArrowType.Interval(IntervalUnit.DAY_TIME)));
    assertRefused(
        "type-unsupported: column \"s.d\"",
        field("s", ArrowType.Struct.INSTANCE, field("d", new ArrowType.Duration(TimeUnit.SECOND))));
    assertRefused("type-unsupported: column \"s\"", field("s", ArrowType.Struct.INSTANCE));
  }

  @Test
  void refusesTypesThatArrowHasNot() {
    assertRefused("type-unsupported", field("a", new ArrowType.Int(7, true)));
    assertRefused("type-unsupported", field("a", new ArrowType.FixedSizeBinary(0)));
    assertRefused("type-unsupported", field("a", new ArrowType.Decimal(10, 0, 32)));
    assertRefused("type-unsupported", field("a", new ArrowType.Decimal(39, 0, 128)));
    assertRefused("type-unsupported", field("a", new ArrowType.Time(TimeUnit.SECOND, 64)));
    assertRefused("type-unsupported", field("a", new ArrowType.FixedSizeList(-1), field("x", INT)));
  }

  @Test
  void refusesNamesThatAppearTwice() {
    assertRefused("column-duplicate: column \"a\"", field("a", INT), field("a", INT));
    assertRefused(
        "column-duplicate: column \"s.x\"",
        field("s", ArrowType.Struct.INSTANCE, field("x", INT), field("x", INT)));
  }

  @Test
  void refusesSchemasBeyondTheLimits() {
    assertRefused("schema-unsupported", new Field[0]);
    assertRefused(
        "schema-too-large",
        IntStream.range(0, 51).mapToObj(i -> field("c" + i, INT)).toArray(Field[]::new));
    Field deep = field("x", INT);
    for (int i = 0; i < 6; i++) {
      deep = field("l" + i, ArrowType.List.INSTANCE, deep);
    }
    assertRefused("schema-too-deep", deep);
  }

  @Test
  void refusesMapsAndRunsOfOtherShapes() {
    assertRefused("schema-malformed", field("m", new ArrowType.Map(false), field("e", INT)));
    assertRefused(
        "schema-malformed",
        field(
            "m",
            new ArrowType.Map(false),
            required("e", ArrowType.Struct.INSTANCE, field("k", INT))));
    assertRefused(
        "schema-malformed",
        field(
            "r",
            ArrowType.RunEndEncoded.INSTANCE,
            field("ends", ArrowType.Utf8.INSTANCE),
            field("values", INT)));
    assertRefused("schema-malformed", field("l", ArrowType.List.INSTANCE));
  }

  @Test
  void refusesDictionariesThatContradictEachOther() {
    DictionaryEncoding encoding = new DictionaryEncoding(1, false, null);
    Field text = new Field("a", new FieldType(true, ArrowType.Utf8.INSTANCE, encoding), null);
    Field number = new Field("b", new FieldType(true, new ArrowType.Int(64, true), encoding), null);
    String message = Decoded.refusal(null, List.of(text, number));
    assertTrue(message.startsWith("schema-malformed: column \"b\": expected one type"), message);
  }

  @Test
  void refusesBigEndianData() {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    int schema =
        org.apache.arrow.flatbuf.Schema.createSchema(
            builder, Endianness.Big, fields(builder, "a"), 0, 0);
    assertRefused("schema-unsupported: big-endian", message(builder, schema));
  }

  private static int fields(FlatBufferBuilder builder, String... names) {
    int[] fields = new int[names.length];
    for (int i = 0; i < names.length; i++) {
      int name = builder.createString(names[i]);
      org.apache.arrow.flatbuf.Int.startInt(builder);
      org.apache.arrow.flatbuf.Int.addBitWidth(builder, 32);
      org.apache.arrow.flatbuf.Int.addIsSigned(builder, true);
      int type = org.apache.arrow.flatbuf.Int.endInt(builder);
      fields[i] =
          org.apache.arrow.flatbuf.Field.createField(builder, name, true, Type.Int, type, 0, 0, 0);
    }
    return org.apache.arrow.flatbuf.Schema.createFieldsVector(builder, fields);
  }

  private static ByteBuffer message(FlatBufferBuilder builder, int schema) {
    Message.startMessage(builder);
    Message.addVersion(builder, MetadataVersion.V5);
    Message.addHeaderType(builder, MessageHeader.Schema);
    Message.addHeader(builder, schema);
    builder.finish(Message.endMessage(builder));
    return ByteBuffer.wrap(builder.sizedByteArray()).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** A megabyte of names must not come out of a header of some kilobytes. */
  @Test
  void countsSharedNamesEachTime() {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    int name = builder.createString("x".repeat(10_000));
    int[] fields = new int[40];
    for (int i = 0; i < fields.length; i++) {
      org.apache.arrow.flatbuf.Null.startNull(builder);
      int type = org.apache.arrow.flatbuf.Null.endNull(builder);
      fields[i] =
          org.apache.arrow.flatbuf.Field.createField(builder, name, true, Type.Null, type, 0, 0, 0);
    }
    int vector = org.apache.arrow.flatbuf.Schema.createFieldsVector(builder, fields);
    int schema =
        org.apache.arrow.flatbuf.Schema.createSchema(builder, Endianness.Little, vector, 0, 0);
    assertRefused("message-malformed", message(builder, schema));
  }

  /** A field that is its own child. */
  @Test
  void refusesCircles() {
    Field list =
        field(
            "circle",
            ArrowType.List.INSTANCE,
            field("circle", ArrowType.List.INSTANCE, field("x", INT)));
    ByteBuffer header = Crafted.schema(list).header();
    byte[] bytes = new byte[header.remaining()];
    header.get(bytes);
    ByteBuffer copy = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    var message = Message.getRootAsMessage(copy);
    var schema = new org.apache.arrow.flatbuf.Schema();
    message.header(schema);
    var outer = schema.fields(0);
    var inner = outer.children(0);
    // The inner field's vector of children has one entry: the offset from itself to the child.
    int childrenOfInner = vectorStart(copy, inner.getByteBuffer(), inner, 14);
    int outerAt = position(outer);
    copy.putInt(childrenOfInner, outerAt - childrenOfInner);
    assertRefused("schema-too-", copy);
  }

  private static int position(com.google.flatbuffers.Table table) {
    try {
      var at = com.google.flatbuffers.Table.class.getDeclaredField("bb_pos");
      at.setAccessible(true);
      return at.getInt(table);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("flatbuffers changed", e);
    }
  }

  private static int vectorStart(
      ByteBuffer bytes, ByteBuffer own, com.google.flatbuffers.Table table, int slot) {
    int at = position(table);
    int vtable = at - own.getInt(at);
    int field = at + own.getShort(vtable + slot);
    return field + bytes.getInt(field) + 4;
  }

  @Test
  void refusesHeadersThatAreNoMessage() {
    assertRefused("message-malformed", ByteBuffer.wrap(new byte[3]));
    assertRefused("message-malformed", ByteBuffer.wrap(new byte[64]));
    assertRefused("message-too-large", ByteBuffer.wrap(new byte[(1 << 16) + 1]));
  }

  @Test
  void readsASchemaThatWasHandedOverOutsideAStream() {
    Schema schema = new Schema(List.of(field("a", ArrowType.LargeUtf8.INSTANCE)));
    assertEquals(
        new Schema(List.of(field("a", ArrowType.Utf8.INSTANCE))),
        SchemaMessages.read(schema.serializeAsMessage(), Decoded.LIMITS));
    assertThrows(
        WingsException.class, () -> SchemaMessages.read(new byte[] {1, 2, 3}, Decoded.LIMITS));
    assertThrows(
        WingsException.class,
        () -> SchemaMessages.read(new byte[] {-1, -1, -1, -1, 100, 0, 0, 0}, Decoded.LIMITS));
  }
}
