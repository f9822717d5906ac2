package io.wings.common.flight;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.wings.common.error.WingsException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.Test;

class FlightFrameTest {
  private static final Flight.FlightDescriptor CANONICAL =
      Flight.FlightDescriptor.newBuilder()
          .setType(Flight.FlightDescriptor.DescriptorType.CMD)
          .setCmd(ByteString.copyFromUtf8("{\"canonical\":true}"))
          .build();

  private static Flight.FlightData full(Random random) {
    return Flight.FlightData.newBuilder()
        .setFlightDescriptor(Flight.FlightDescriptor.newBuilder().addPath("a").addPath("b"))
        .setDataHeader(bytes(random, 200))
        .setAppMetadata(bytes(random, 20))
        .setDataBody(bytes(random, 5000))
        .build();
  }

  private static ByteString bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  private static ByteString read(ByteBuffer buffer) {
    return ByteString.copyFrom(buffer);
  }

  private static byte[] serialised(FlightFrame frame) throws IOException {
    InputStream stream = FlightFrame.Marshaller.INSTANCE.stream(frame);
    assertTrue(stream instanceof KnownLength || stream instanceof ByteArrayInputStream);
    assertEquals(frame.size(), stream.available());
    return stream.readAllBytes();
  }

  @Test
  void findsEveryField() {
    Flight.FlightData data = full(new Random(1));
    FlightFrame frame = new FlightFrame(data.toByteArray());
    assertEquals(data.getFlightDescriptor(), frame.descriptor());
    assertEquals(data.getDataHeader(), read(frame.header()));
    assertEquals(data.getAppMetadata(), read(frame.appMetadata()));
    assertEquals(data.getDataBody(), read(frame.body()));
  }

  @Test
  void absentFieldsAreEmpty() {
    FlightFrame frame = new FlightFrame(new byte[0]);
    assertFalse(frame.hasDescriptor());
    assertNull(frame.descriptor());
    assertFalse(frame.header().hasRemaining());
    assertFalse(frame.appMetadata().hasRemaining());
    assertFalse(frame.body().hasRemaining());
  }

  @Test
  void writesWhatItReadByteForByte() throws IOException {
    byte[] bytes = full(new Random(2)).toByteArray();
    assertArrayEquals(bytes, serialised(new FlightFrame(bytes)));
  }

  @Test
  void keepsUnknownFields() throws IOException {
    byte[] bytes = withUnknownFields(full(new Random(3)).toByteArray());
    FlightFrame frame = new FlightFrame(bytes);
    assertEquals(5000, frame.body().remaining());
    assertArrayEquals(bytes, serialised(frame));
    Flight.FlightData changed =
        Flight.FlightData.parseFrom(serialised(frame.withDescriptor(CANONICAL)));
    assertEquals(Flight.FlightData.parseFrom(bytes).getUnknownFields(), changed.getUnknownFields());
  }

  private static byte[] withUnknownFields(byte[] data) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CodedOutputStream coded = CodedOutputStream.newInstance(out);
    coded.writeUInt64(77, -1L);
    coded.writeFixed64(78, 5);
    coded.flush();
    out.write(data);
    coded.writeFixed32(79, 5);
    coded.writeString(80, "later version");
    coded.flush();
    return out.toByteArray();
  }

  @Test
  void replacesTheDescriptorWhereverItStands() throws IOException {
    Flight.FlightData data = full(new Random(4));
    ByteArrayOutputStream reversed = new ByteArrayOutputStream();
    CodedOutputStream coded = CodedOutputStream.newInstance(reversed);
    coded.writeBytes(1000, data.getDataBody());
    coded.writeMessage(1, data.getFlightDescriptor());
    coded.writeBytes(2, data.getDataHeader());
    coded.writeBytes(3, data.getAppMetadata());
    coded.flush();
    for (byte[] bytes : new byte[][] {data.toByteArray(), reversed.toByteArray()}) {
      FlightFrame changed = new FlightFrame(bytes).withDescriptor(CANONICAL);
      assertEquals(CANONICAL, changed.descriptor());
      assertEquals(
          data.toBuilder().setFlightDescriptor(CANONICAL).build(),
          Flight.FlightData.parseFrom(serialised(changed)));
      ByteArrayOutputStream drained = new ByteArrayOutputStream();
      InputStream stream = FlightFrame.Marshaller.INSTANCE.stream(changed);
      int length = stream.available();
      assertEquals(length, ((Drainable) stream).drainTo(drained));
      assertArrayEquals(serialised(changed), drained.toByteArray());
    }
  }

  @Test
  void addsTheDescriptorWhereThereWasNone() throws IOException {
    Flight.FlightData data = full(new Random(5)).toBuilder().clearFlightDescriptor().build();
    assertEquals(
        data.toBuilder().setFlightDescriptor(CANONICAL).build(),
        Flight.FlightData.parseFrom(
            serialised(new FlightFrame(data.toByteArray()).withDescriptor(CANONICAL))));
  }

  @Test
  void refusesFieldsThatAppearTwice() {
    byte[] data = full(new Random(6)).toByteArray();
    for (int field : new int[] {1, 2, 3, 1000}) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.writeBytes(data);
      out.writeBytes(ProtobufFields.lengthPrefix(field << 3 | ProtobufFields.LENGTH_DELIMITED, 0));
      FlightFrame frame = new FlightFrame(out.toByteArray());
      WingsException refused = assertThrows(WingsException.class, frame::body);
      assertEquals("frame-invalid", refused.code());
      assertTrue(
          String.valueOf(refused.getMessage()).contains("field " + field + " appears twice"));
    }
  }

  @Test
  void refusesHugeLengths() {
    for (long length : new long[] {1, Integer.MAX_VALUE, 1L << 31, 1L << 32, Long.MAX_VALUE, -1}) {
      byte[] bytes = new byte[16];
      bytes[0] = 2 << 3 | ProtobufFields.LENGTH_DELIMITED;
      int at = 1;
      long rest = length;
      while ((rest & ~0x7FL) != 0) {
        bytes[at++] = (byte) ((rest & 0x7F) | 0x80);
        rest >>>= 7;
      }
      bytes[at++] = (byte) rest;
      FlightFrame frame = new FlightFrame(Arrays.copyOf(bytes, at));
      assertEquals(
          "frame-invalid",
          assertThrows(WingsException.class, frame::requireWellFormed).code(),
          () -> "length " + length);
    }
  }

  @Test
  void refusesWrongWireTypesAndGroups() {
    for (int tag : new int[] {2 << 3, 2 << 3 | 1, 2 << 3 | 5, 9 << 3 | 3, 9 << 3 | 4, 0, 7}) {
      FlightFrame frame = new FlightFrame(new byte[] {(byte) tag, 0, 0, 0, 0, 0, 0, 0, 0});
      assertThrows(WingsException.class, frame::requireWellFormed, () -> "tag " + tag);
    }
  }

  @Test
  void refusesDescriptorThatIsNone() {
    byte[] bytes = {1 << 3 | ProtobufFields.LENGTH_DELIMITED, 2, (byte) 0xFF, (byte) 0xFF};
    FlightFrame frame = new FlightFrame(bytes);
    assertTrue(frame.hasDescriptor());
    assertEquals("frame-invalid", assertThrows(WingsException.class, frame::descriptor).code());
  }

  /** Whatever it accepts protobuf accepts too, and reads the same. */
  @Test
  void agreesWithProtobufOnMutatedFrames() throws IOException {
    Random random = new Random(7);
    byte[][] seeds = new byte[20][];
    for (int i = 0; i < seeds.length; i++) {
      Flight.FlightData data = full(random);
      byte[] small = data.toBuilder().setDataBody(bytes(random, 60)).build().toByteArray();
      seeds[i] = i % 2 == 0 ? small : withUnknownFields(small);
    }
    int accepted = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = mutated(random, seeds[random.nextInt(seeds.length)]);
      FlightFrame frame = new FlightFrame(bytes.clone());
      ByteString header;
      ByteString body;
      try {
        header = read(frame.header());
        body = read(frame.body());
        frame.descriptor();
      } catch (WingsException e) {
        assertEquals("frame-invalid", e.code());
        continue;
      }
      accepted++;
      Flight.FlightData reference = reference(bytes);
      assertEquals(reference.getDataHeader(), header);
      assertEquals(reference.getDataBody(), body);
      assertArrayEquals(bytes, serialised(frame));
      assertEquals(
          reference.toBuilder().setFlightDescriptor(CANONICAL).build(),
          reference(serialised(frame.withDescriptor(CANONICAL))));
    }
    assertTrue(accepted > 500, "accepted " + accepted);
  }

  private static Flight.FlightData reference(byte[] bytes) {
    try {
      return Flight.FlightData.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("accepted what protobuf refuses", e);
    }
  }

  private static byte[] mutated(Random random, byte[] seed) {
    byte[] bytes =
        Arrays.copyOf(seed, random.nextInt(10) == 0 ? random.nextInt(seed.length) : seed.length);
    int changes = random.nextInt(4);
    for (int i = 0; i < changes && bytes.length > 0; i++) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return bytes;
  }
}
