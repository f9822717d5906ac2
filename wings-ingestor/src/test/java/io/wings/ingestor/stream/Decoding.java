package io.wings.ingestor.stream;

import io.wings.common.error.WingsException;
import org.jspecify.annotations.Nullable;

/** Feeds a decoder as a stream does. */
final class Decoding {
  private Decoding() {}

  /** A batch, which the caller closes; null after a dictionary. */
  static StreamDecoder.@Nullable Batch read(StreamDecoder decoder, Frames frame) {
    return switch (decoder.parse(frame.header())) {
      case Message.SchemaMessage _ ->
          throw WingsException.invalid("schema-unexpected", "a second schema");
      case Message.DictionaryMessage dictionary -> {
        decoder.take(dictionary, frame.body());
        yield null;
      }
      case Message.BatchMessage(Message.Batch batch) -> decoder.decode(batch, frame.body());
    };
  }
}
