package io.wings.catalog.own;

import io.wings.common.cas.Codec;
import io.wings.common.objectstore.Body;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code tables/{id}.json}; see {@code docs/formats/catalog.md}. */
final class PointerCodec implements Codec<Pointer> {
  private static final int VERSION = 1;

  private record Document(
      int formatVersion,
      String putId,
      String tableId,
      Pointer.State state,
      String metadataLocation,
      @Nullable String previousMetadataLocation,
      List<String> earlierPutIds) {}

  @Override
  public Body encode(Pointer pointer, String putId) {
    Pointer stamped = pointer.stamped(putId);
    return Body.of(
        Json.write(
            new Document(
                VERSION,
                putId,
                stamped.tableId(),
                stamped.state(),
                stamped.metadataLocation(),
                stamped.previousMetadataLocation(),
                stamped.earlierPutIds())));
  }

  @Override
  public Stamped<Pointer> decode(byte[] bytes) {
    Document document = Json.read(bytes, Document.class, "pointer-unreadable", VERSION);
    Pointer pointer =
        new Pointer(
            document.tableId(),
            document.metadataLocation(),
            document.previousMetadataLocation(),
            document.putId(),
            document.earlierPutIds(),
            document.state());
    return new Stamped<>(pointer, document.putId());
  }
}
