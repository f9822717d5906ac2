package io.wings.catalog.own;

import io.wings.common.cas.Codec;
import io.wings.common.cas.JsonCodec;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import java.util.List;

/** {@code tables/{id}.json}; see {@code docs/formats/catalog.md}. */
final class PointerCodec implements Codec<Pointer> {
  private static final int VERSION = 1;

  private record Document(
      int formatVersion,
      String tableId,
      Pointer.State state,
      String metadataLocation,
      String previousMetadataLocation,
      List<String> earlierPutIds) {}

  private final JsonCodec<Document> json = new JsonCodec<>(Document.class);

  @Override
  public Body encode(Pointer pointer, String putId) {
    Pointer stamped = pointer.stamped(putId);
    return json.encode(
        new Document(
            VERSION,
            stamped.tableId(),
            stamped.state(),
            stamped.metadataLocation(),
            stamped.previousMetadataLocation(),
            stamped.earlierPutIds()),
        putId);
  }

  @Override
  public Stamped<Pointer> decode(byte[] bytes) {
    Stamped<Document> stored = json.decode(bytes);
    Document document = stored.value();
    if (document.formatVersion() != VERSION) {
      throw WingsException.corrupt(
          "pointer-version",
          "expected format_version %d, got %d".formatted(VERSION, document.formatVersion()));
    }
    Pointer pointer =
        new Pointer(
            document.tableId(),
            document.metadataLocation(),
            document.previousMetadataLocation(),
            stored.putId(),
            document.earlierPutIds(),
            document.state());
    return new Stamped<>(pointer, stored.putId());
  }
}
