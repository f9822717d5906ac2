package io.wings.common.wal;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Counts a footer's repeated fields before anything is allocated for them: two bytes can stand for
 * an object of a hundred.
 */
final class FooterScan {
  /** Producers in a checkpoint; state bytes bound them more tightly. */
  static final int MAX_PRODUCERS = 1 << 20;

  /** Rejected ranges in a checkpoint. */
  static final int MAX_RANGES = 1 << 22;

  private long entries;
  private long spaces;
  private long producers;
  private long ranges;

  private FooterScan() {}

  /**
   * @throws IllegalArgumentException above a limit
   */
  static void check(ByteBuffer footer) throws InvalidProtocolBufferException {
    try {
      new FooterScan().footer(CodedInputStream.newInstance(footer));
    } catch (InvalidProtocolBufferException e) {
      throw e;
    } catch (IOException e) {
      throw new InvalidProtocolBufferException(e);
    }
  }

  private void footer(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case FooterProto.Footer.SCHEMAS_FIELD_NUMBER,
            FooterProto.Footer.PRODUCERS_FIELD_NUMBER,
            FooterProto.Footer.ENTRIES_FIELD_NUMBER -> {
          limit("entries", ++entries, 3L * WalFormat.MAX_ENTRIES);
          in.skipField(tag);
        }
        case FooterProto.Footer.CHECKPOINT_FIELD_NUMBER -> nested(in, tag, this::checkpoint);
        default -> in.skipField(tag);
      }
    }
  }

  private void checkpoint(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) == FooterProto.Checkpoint.SPACES_FIELD_NUMBER) {
        limit("spaces", ++spaces, MAX_PRODUCERS);
        nested(in, tag, this::space);
      } else {
        in.skipField(tag);
      }
    }
  }

  private void space(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) == FooterProto.Space.PRODUCERS_FIELD_NUMBER) {
        limit("producers", ++producers, MAX_PRODUCERS);
        nested(in, tag, this::producer);
      } else {
        in.skipField(tag);
      }
    }
  }

  private void producer(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) == FooterProto.ProducerState.REJECTED_FIELD_NUMBER) {
        limit("ranges", ++ranges, MAX_RANGES);
      }
      in.skipField(tag);
    }
  }

  private static void nested(CodedInputStream in, int tag, Walk walk) throws IOException {
    if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
      in.skipField(tag);
      return;
    }
    int outer = in.pushLimit(in.readRawVarint32());
    walk.accept(in);
    in.popLimit(outer);
  }

  private static void limit(String what, long count, long limit) {
    if (count > limit) {
      throw new IllegalArgumentException("more than " + limit + " " + what);
    }
  }

  @FunctionalInterface
  private interface Walk {
    void accept(CodedInputStream in) throws IOException;
  }
}
