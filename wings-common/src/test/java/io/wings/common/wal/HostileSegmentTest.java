package io.wings.common.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.flatbuffers.FlatBufferBuilder;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that someone made to do harm: every CRC is right, and the content isn't. */
class HostileSegmentTest {
  private static final int ROUNDS = 1_500;

  private static byte[] golden(String name) {
    byte[] bytes = GoldenSegments.all().get(name);
    if (bytes == null) {
      throw new IllegalArgumentException(name);
    }
    return bytes;
  }

  private static SegmentFooter footerOf(byte[] bytes) {
    int length = WalFormat.footerLength("test", bytes, bytes.length);
    return FooterCodec.decode(
        "test",
        WalFormat.footer("test", bytes, length),
        bytes.length - length - (long) WalFormat.TRAILER_BYTES);
  }

  /** The segment with other footer bytes and a trailer that fits them. */
  private static byte[] withFooter(byte[] segment, byte[] footer) {
    int length = WalFormat.footerLength("test", segment, segment.length);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(segment, 0, segment.length - length - WalFormat.TRAILER_BYTES);
    out.writeBytes(footer);
    out.writeBytes(WalFormat.trailer(footer));
    return out.toByteArray();
  }

  /** The segment with its blocks as they are now, their CRCs and entries put right. */
  private static byte[] sealed(
      byte[] segment, SegmentFooter footer, BiFunction<BatchEntry, Block, BatchEntry> change) {
    List<Block> schemas = footer.schemas().stream().map(block -> again(segment, block)).toList();
    List<WalEntry> entries = new ArrayList<>();
    for (WalEntry entry : footer.entries()) {
      entries.add(
          entry instanceof BatchEntry batch
              ? change.apply(batch, again(segment, batch.block()))
              : entry);
    }
    SegmentFooter changed =
        new SegmentFooter(
            footer.table(),
            footer.incarnation(),
            footer.lane(),
            footer.number(),
            footer.putId(),
            footer.ingestor(),
            footer.written(),
            schemas,
            entries,
            footer.checkpoint());
    return withFooter(segment, FooterCodec.encode(changed));
  }

  private static Block again(byte[] segment, Block block) {
    int crc = WalFormat.crc32c(segment, (int) block.offset(), block.length());
    return new Block(block.offset(), block.length(), crc);
  }

  private static BatchEntry with(BatchEntry batch, Block block, long rows, long rawBytes) {
    return new BatchEntry(
        batch.producer(),
        batch.epoch(),
        batch.sequence(),
        batch.token(),
        batch.operation(),
        rows,
        rawBytes,
        batch.schema(),
        block);
  }

  /** Reads it; either all is well or the error is one of the format's. */
  private static boolean isRead(byte[] segment, long number) {
    try {
      StoredSegment.readAll(segment, number);
      return true;
    } catch (WingsException e) {
      assertEquals(ErrorKind.CORRUPT, e.kind(), e::toString);
      return false;
    }
  }

  private static void scribble(byte[] bytes, int from, int length, Random random) {
    int times = 1 + random.nextInt(3);
    for (int i = 0; i < times; i++) {
      int at = from + random.nextInt(length);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) random.nextInt();
        case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0x7f : 0xff);
        default -> Arrays.fill(bytes, at, Math.min(from + length, at + 4), (byte) 0xff);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"entries.wal", "types.wal"})
  void survivesScribbledBlocks(String name) {
    byte[] golden = golden(name);
    SegmentFooter footer = footerOf(golden);
    Random random = new Random(name.hashCode());
    List<Block> blocks = new ArrayList<>(footer.schemas());
    footer.batches().forEach(batch -> blocks.add(batch.block()));
    int read = 0;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = golden.clone();
      Block block = blocks.get(random.nextInt(blocks.size()));
      scribble(bytes, (int) block.offset(), block.length(), random);
      byte[] hostile =
          sealed(
              bytes, footer, (batch, moved) -> with(batch, moved, batch.rows(), batch.rawBytes()));
      read += isRead(hostile, footer.number()) ? 1 : 0;
    }
    assertTrue(read > 0 && read < ROUNDS, "some change values only, others are caught: " + read);
  }

  @ParameterizedTest
  @ValueSource(strings = {"entries.wal", "types.wal", "checkpoint.wal"})
  void survivesScribbledFooters(String name) {
    byte[] golden = golden(name);
    SegmentFooter footer = footerOf(golden);
    byte[] encoded = FooterCodec.encode(footer);
    Random random = new Random(name.hashCode());
    int read = 0;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = encoded.clone();
      scribble(bytes, 0, bytes.length, random);
      if (random.nextInt(4) == 0) {
        bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      }
      read += isRead(withFooter(golden, bytes), footer.number()) ? 1 : 0;
    }
    assertTrue(read < ROUNDS);
  }

  @Test
  void believesNoRowCountAndNoSizeThatTheBatchDoesNotHave() {
    byte[] golden = golden("types.wal");
    SegmentFooter footer = footerOf(golden);
    for (long[] lie : new long[][] {{6, 0}, {0, 0}, {5, 1}, {5, -1}, {5, 200 << 20}}) {
      byte[] hostile =
          sealed(
              golden,
              footer,
              (batch, block) -> with(batch, block, lie[0], Math.max(0, batch.rawBytes() + lie[1])));
      assertEquals(false, isRead(hostile, footer.number()), Arrays.toString(lie));
    }
  }

  @Test
  void ignoresNoFieldThatItDoesNotKnow() {
    byte[] golden = golden("checkpoint.wal");
    byte[] footer = FooterCodec.encode(footerOf(golden));
    byte[] more = Arrays.copyOf(footer, footer.length + 3);
    more[footer.length] = (byte) 0xa0;
    more[footer.length + 1] = 0x06;
    more[footer.length + 2] = 1;
    WingsException e =
        assertThrows(
            WingsException.class, () -> StoredSegment.readAll(withFooter(golden, more), 256));
    assertTrue(String.valueOf(e.getMessage()).contains("content that format version 1 has not"));
  }

  @Test
  void countsRepeatedFieldsBeforeItBuildsThem() {
    ByteArrayOutputStream entries = new ByteArrayOutputStream();
    for (int i = 0; i < 4 * WalFormat.MAX_ENTRIES; i++) {
      entries.write(FooterProto.Footer.ENTRIES_FIELD_NUMBER << 3 | 2);
      entries.write(0);
    }
    byte[] hostile = withFooter(golden("checkpoint.wal"), entries.toByteArray());
    WingsException e =
        assertThrows(WingsException.class, () -> StoredSegment.readAll(hostile, 256));
    assertTrue(String.valueOf(e.getMessage()).contains("more than"), e::toString);
  }

  /** One field table that is its own grandchildren many times over: a tree of 8^20 fields. */
  @Test
  void buildsNoSchemaThatIsLargerThanItsMessage() {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    int key = builder.createString(BatchEncoder.FIELD_ID);
    int value = builder.createString("1");
    int metadata = KeyValue.createKeyValue(builder, key, value);
    int name = builder.createString("f");
    org.apache.arrow.flatbuf.Struct_.startStruct_(builder);
    int type = org.apache.arrow.flatbuf.Struct_.endStruct_(builder);
    int field = 0;
    for (int level = 0; level < 20; level++) {
      int[] children = new int[level == 0 ? 0 : 8];
      Arrays.fill(children, field);
      int childVector = Field.createChildrenVector(builder, children);
      int metadataVector = Field.createCustomMetadataVector(builder, new int[] {metadata});
      Field.startField(builder);
      Field.addName(builder, name);
      Field.addTypeType(builder, Type.Struct_);
      Field.addType(builder, type);
      Field.addChildren(builder, childVector);
      Field.addCustomMetadata(builder, metadataVector);
      field = Field.endField(builder);
    }
    int fields = org.apache.arrow.flatbuf.Schema.createFieldsVector(builder, new int[] {field});
    org.apache.arrow.flatbuf.Schema.startSchema(builder);
    org.apache.arrow.flatbuf.Schema.addFields(builder, fields);
    int header = org.apache.arrow.flatbuf.Schema.endSchema(builder);
    ByteBuffer message =
        MessageSerializer.serializeMessage(
            builder, MessageHeader.Schema, header, 0, IpcOption.DEFAULT);
    int length = (message.remaining() + 7) / 8 * 8;
    byte[] block = new byte[8 + length];
    ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).putInt(-1).putInt(length).put(message);
    WingsException e =
        assertThrows(
            WingsException.class, () -> SchemaDecoder.decode("test", block, 0, block.length));
    assertEquals("segment-corrupt", e.code());
  }

  @Test
  void releasesMemoryWhenAnAllocatorIsTooSmall() {
    byte[] golden = golden("entries.wal");
    SegmentFooter footer = footerOf(golden);
    try (BufferAllocator allocator = new RootAllocator(1024)) {
      io.wings.common.objectstore.memory.MemoryStore store =
          new io.wings.common.objectstore.memory.MemoryStore();
      store.put(
          io.wings.common.cluster.Keys.segment(WalSamples.LANE, 3),
          io.wings.common.objectstore.Body.of(golden),
          io.wings.common.objectstore.PutCondition.any());
      try (BatchCursor cursor =
          new SegmentReader(store).batches(WalSamples.LANE, footer, allocator)) {
        assertThrows(
            org.apache.arrow.memory.OutOfMemoryException.class,
            () -> {
              while (cursor.next()) {
                cursor.root();
              }
            });
      }
      assertEquals(0, allocator.getAllocatedMemory());
    }
  }
}
