package io.wings.loadbalancer.proxy;

import io.wings.common.flight.BatchMetadata;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.StreamRequest;
import io.wings.loadbalancer.relay.Frame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Tells from a message's header what it is to a relay. What can't be parsed counts as a batch: its
 * ingestor refuses it.
 */
final class FrameKinds {
  /** Fields of a schema that are looked at; beyond, it counts as one with nested dictionaries. */
  private static final int MAX_FIELDS = 100_000;

  private static final int MAX_DEPTH = 64;

  private FrameKinds() {}

  /**
   * @throws io.wings.common.error.WingsException when a named stream's batch has no sequence, or
   *     metadata that can't be read
   */
  static Frame.Kind of(FlightFrame frame, StreamRequest request) {
    ByteBuffer header = frame.header();
    if (!header.hasRemaining()) {
      return frame.body().hasRemaining() || frame.appMetadata().hasRemaining()
          ? batch(frame, request)
          : new Frame.Blank();
    }
    Frame.Kind parsed = parsed(header);
    return parsed == null ? batch(frame, request) : parsed;
  }

  /** Of a message before the schema: the first one with a header is it. */
  static Frame.Kind ofFirst(FlightFrame frame) {
    ByteBuffer header = frame.header();
    if (!header.hasRemaining()) {
      return new Frame.Blank();
    }
    return parsed(header) instanceof Frame.Schema schema ? schema : new Frame.Schema(false);
  }

  private static Frame.Kind batch(FlightFrame frame, StreamRequest request) {
    return new Frame.Batch(
        request.named()
            ? BatchMetadata.of(frame.appMetadata()).requireFor(request).sequence()
            : null);
  }

  /** Of a schema or a dictionary; null for everything else. */
  private static Frame.@Nullable Kind parsed(ByteBuffer header) {
    try {
      Message message = Message.getRootAsMessage(header.order(ByteOrder.LITTLE_ENDIAN));
      if (message.version() < MetadataVersion.V4 || message.version() > MetadataVersion.V5) {
        return null;
      }
      return switch (message.headerType()) {
        case MessageHeader.Schema ->
            message.header(new Schema()) instanceof Schema schema
                ? new Frame.Schema(isNested(schema))
                : null;
        case MessageHeader.DictionaryBatch ->
            message.header(new DictionaryBatch()) instanceof DictionaryBatch dictionary
                ? new Frame.Dictionary(dictionary.id(), dictionary.isDelta())
                : null;
        default -> null;
      };
    } catch (RuntimeException e) {
      // Flatbuffers check bounds, and nothing else.
      return null;
    }
  }

  private static boolean isNested(Schema schema) {
    int[] left = {MAX_FIELDS};
    for (int i = 0; i < schema.fieldsLength(); i++) {
      if (isNested(schema.fields(i), false, 0, left)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isNested(
      @Nullable Field field, boolean inDictionary, int depth, int[] left) {
    if (field == null) {
      return false;
    }
    boolean encoded = field.dictionary() != null;
    if (--left[0] < 0 || depth > MAX_DEPTH || (encoded && inDictionary)) {
      return true;
    }
    for (int i = 0; i < field.childrenLength(); i++) {
      if (isNested(field.children(i), encoded || inDictionary, depth + 1, left)) {
        return true;
      }
    }
    return false;
  }
}
