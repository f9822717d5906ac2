package io.wings.common.flight;

import com.google.protobuf.ByteString;
import io.wings.common.error.WingsException;
import io.wings.common.wal.Operation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a client says about one batch in its {@code app_metadata}: JSON with this record's fields,
 * all optional.
 *
 * @param sequence of a named producer's batch, from 1
 * @param token opaque text of the client, given back by {@code producer-state}
 * @param operation overrides the stream's
 */
public record BatchMetadata(
    @Nullable Long sequence, @Nullable String token, @Nullable Operation operation) {
  /** Bytes of UTF-8 in a token. */
  public static final int MAX_TOKEN_BYTES = 1024;

  public static final BatchMetadata NONE = new BatchMetadata(null, null, null);

  private static final String WHAT = "batch metadata";

  public BatchMetadata {
    if (sequence != null && sequence < 1) {
      throw WingsException.invalid("request-invalid", "'sequence' is at least 1, got " + sequence);
    }
    if (token != null && token.getBytes(StandardCharsets.UTF_8).length > MAX_TOKEN_BYTES) {
      throw WingsException.invalid(
          "request-invalid", "'token' has at most " + MAX_TOKEN_BYTES + " bytes of UTF-8");
    }
  }

  /**
   * Reads {@code app_metadata}; empty is {@link #NONE}.
   *
   * @throws WingsException {@code request-invalid}
   */
  public static BatchMetadata of(ByteBuffer appMetadata) {
    return appMetadata.hasRemaining()
        ? FlightJson.decode(BatchMetadata.class, ByteString.copyFrom(appMetadata), WHAT)
        : NONE;
  }

  /**
   * Itself, if it fits the stream: a named one gives every batch a sequence, an unnamed one none.
   *
   * @throws WingsException {@code sequence-missing} or {@code sequence-unexpected}
   */
  public BatchMetadata requireFor(StreamRequest stream) {
    if (stream.named() && sequence == null) {
      throw WingsException.invalid(
          "sequence-missing",
          "every batch of the named producer '"
              + stream.producer()
              + "' carries a sequence in its app_metadata, e.g. {\"sequence\":1}");
    }
    if (!stream.named() && sequence != null) {
      throw WingsException.invalid(
          "sequence-unexpected",
          "a batch carries sequence "
              + sequence
              + " but its stream names no producer; name one in the descriptor's cmd");
    }
    return this;
  }

  /** JSON, UTF-8; for clients. */
  public ByteString toJson() {
    return FlightJson.encode(this);
  }
}
