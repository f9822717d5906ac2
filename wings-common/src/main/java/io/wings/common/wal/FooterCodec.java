package io.wings.common.wal;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.wings.common.wal.FooterProto.Footer;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Footers to bytes and back. What decodes is exactly what encoding the result would give, so
 * nothing in a footer is ignored: neither a field of a later format nor a second way to say the
 * same.
 */
final class FooterCodec {
  private static final int ID_BYTES = 16;

  private FooterCodec() {}

  static byte[] encode(SegmentFooter footer) {
    Map<ProducerKey, Integer> producers = new LinkedHashMap<>();
    Footer.Builder proto =
        Footer.newBuilder()
            .setTable(uuid(footer.table()))
            .setIncarnation(hex(footer.incarnation()))
            .setLane(footer.lane())
            .setNumber(footer.number())
            .setPutId(hex(footer.putId()))
            .setIngestor(footer.ingestor())
            .setWrittenMs(footer.written().toEpochMilli());
    footer.schemas().forEach(block -> proto.addSchemas(block(block)));
    footer.entries().forEach(entry -> proto.addEntries(entry(entry, producers)));
    producers
        .keySet()
        .forEach(
            key ->
                proto.addProducers(
                    FooterProto.Producer.newBuilder()
                        .setPrincipal(key.principal())
                        .setName(key.name())
                        .setNamed(key.named())));
    Checkpoint checkpoint = footer.checkpoint();
    if (checkpoint != null) {
      proto.setCheckpoint(CheckpointCodec.encode(checkpoint));
    }
    return proto.build().toByteArray();
  }

  private static FooterProto.Entry entry(WalEntry entry, Map<ProducerKey, Integer> producers) {
    FooterProto.Entry.Builder proto = FooterProto.Entry.newBuilder();
    switch (entry) {
      case BatchEntry batch -> proto.setBatch(batch(batch, index(batch.producer(), producers)));
      case RejectedEntry rejected ->
          proto.setRejected(
              FooterProto.Rejected.newBuilder()
                  .setProducer(index(rejected.producer(), producers))
                  .setEpoch(rejected.epoch())
                  .setSequence(rejected.sequence())
                  .setReason(rejected.reason()));
      case EpochRecord epoch ->
          proto.setEpoch(
              FooterProto.Epoch.newBuilder().setProducer(index(epoch.producer(), producers)));
      case RulesRecord rules -> proto.setRules(CheckpointCodec.rules(rules.rules()));
    }
    return proto.build();
  }

  private static FooterProto.Batch batch(BatchEntry batch, int producer) {
    FooterProto.Batch.Builder proto =
        FooterProto.Batch.newBuilder()
            .setProducer(producer)
            .setEpoch(batch.epoch())
            .setSequence(batch.sequence())
            .setOperation(
                switch (batch.operation()) {
                  case INSERT -> FooterProto.Operation.OPERATION_INSERT;
                  case UPSERT -> FooterProto.Operation.OPERATION_UPSERT;
                  case DELETE -> FooterProto.Operation.OPERATION_DELETE;
                })
            .setRows(batch.rows())
            .setRawBytes(batch.rawBytes())
            .setSchema(batch.schema())
            .setBlock(block(batch.block()));
    String token = batch.token();
    if (token != null) {
      proto.setToken(token);
    }
    return proto.build();
  }

  private static int index(ProducerKey key, Map<ProducerKey, Integer> producers) {
    Integer known = producers.putIfAbsent(key, producers.size());
    return known == null ? producers.size() - 1 : known;
  }

  private static FooterProto.Block block(Block block) {
    return FooterProto.Block.newBuilder()
        .setOffset(block.offset())
        .setLength(block.length())
        .setCrc32C(block.crc32c())
        .build();
  }

  /**
   * @param end where the footer begins, which is where the blocks end
   */
  static SegmentFooter decode(String where, ByteBuffer bytes, long end) {
    try {
      FooterScan.check(bytes.duplicate());
      SegmentFooter footer = footer(Footer.parseFrom(bytes.duplicate()));
      if (!ByteBuffer.wrap(encode(footer)).equals(bytes)) {
        throw WalFormat.corrupt(where, "the footer has content that format version 1 has not");
      }
      BlockLayout.check(footer, end);
      return footer;
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      throw WalFormat.corrupt(where, "the footer is malformed: " + e.getMessage(), e);
    } catch (io.wings.common.error.WingsException e) {
      if (e.kind() == io.wings.common.error.ErrorKind.CORRUPT) {
        throw e;
      }
      throw WalFormat.corrupt(where, "the footer is malformed: " + e.getMessage(), e);
    }
  }

  private static SegmentFooter footer(Footer proto) {
    List<ProducerKey> producers = new ArrayList<>(proto.getProducersCount());
    for (FooterProto.Producer producer : proto.getProducersList()) {
      producers.add(
          new ProducerKey(producer.getPrincipal(), producer.getName(), producer.getNamed()));
    }
    List<WalEntry> entries = new ArrayList<>(proto.getEntriesCount());
    for (FooterProto.Entry entry : proto.getEntriesList()) {
      entries.add(entry(entry, producers));
    }
    return new SegmentFooter(
        uuid(proto.getTable()),
        hex(proto.getIncarnation()),
        proto.getLane(),
        proto.getNumber(),
        hex(proto.getPutId()),
        proto.getIngestor(),
        Instant.ofEpochMilli(proto.getWrittenMs()),
        proto.getSchemasList().stream().map(FooterCodec::block).toList(),
        entries,
        proto.hasCheckpoint() ? CheckpointCodec.decode(proto.getCheckpoint()) : null);
  }

  private static WalEntry entry(FooterProto.Entry entry, List<ProducerKey> producers) {
    return switch (entry.getKindCase()) {
      case BATCH -> batch(entry.getBatch(), producers);
      case REJECTED -> {
        FooterProto.Rejected rejected = entry.getRejected();
        yield new RejectedEntry(
            producer(rejected.getProducer(), producers),
            rejected.getEpoch(),
            rejected.getSequence(),
            rejected.getReason());
      }
      case EPOCH -> new EpochRecord(producer(entry.getEpoch().getProducer(), producers));
      case RULES -> new RulesRecord(CheckpointCodec.rules(entry.getRules()));
      case KIND_NOT_SET -> throw new IllegalArgumentException("an entry of no known kind");
    };
  }

  private static BatchEntry batch(FooterProto.Batch batch, List<ProducerKey> producers) {
    return new BatchEntry(
        producer(batch.getProducer(), producers),
        batch.getEpoch(),
        batch.getSequence(),
        batch.hasToken() ? batch.getToken() : null,
        switch (batch.getOperation()) {
          case OPERATION_INSERT -> Operation.INSERT;
          case OPERATION_UPSERT -> Operation.UPSERT;
          case OPERATION_DELETE -> Operation.DELETE;
          case OPERATION_UNSPECIFIED, UNRECOGNIZED ->
              throw new IllegalArgumentException("a batch of no known operation");
        },
        batch.getRows(),
        batch.getRawBytes(),
        batch.getSchema(),
        block(batch.getBlock()));
  }

  private static ProducerKey producer(int index, List<ProducerKey> producers) {
    if (index < 0 || index >= producers.size()) {
      throw new IllegalArgumentException("an entry names producer " + index);
    }
    return producers.get(index);
  }

  private static Block block(FooterProto.Block block) {
    return new Block(block.getOffset(), block.getLength(), block.getCrc32C());
  }

  private static ByteString uuid(UUID uuid) {
    ByteBuffer bytes = ByteBuffer.allocate(ID_BYTES);
    bytes.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits()).flip();
    return ByteString.copyFrom(bytes);
  }

  private static UUID uuid(ByteString bytes) {
    ByteBuffer buffer = sixteen(bytes).asReadOnlyByteBuffer();
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  private static ByteString hex(String digits) {
    return sixteen(ByteString.copyFrom(HexFormat.of().parseHex(digits)));
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(sixteen(bytes).toByteArray());
  }

  private static ByteString sixteen(ByteString bytes) {
    if (bytes.size() != ID_BYTES) {
      throw new IllegalArgumentException("an id has 16 bytes, got " + bytes.size());
    }
    return bytes;
  }
}
