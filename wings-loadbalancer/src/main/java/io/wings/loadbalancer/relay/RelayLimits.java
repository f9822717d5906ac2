package io.wings.loadbalancer.relay;

import io.wings.common.config.ByteSize;
import io.wings.common.error.WingsException;

/**
 * What one stream may have kept.
 *
 * @param stream no more is read from the client while so much is kept; more than a segment's cap,
 *     so that one stream alone can fill one
 * @param dictionaries of which schema, dictionaries and those that wait for their batch may be;
 *     less than all, or a stream would wait for an answer to what it hasn't sent
 */
public record RelayLimits(ByteSize stream, ByteSize dictionaries) {
  public RelayLimits {
    if (dictionaries.bytes() >= stream.bytes()) {
      throw WingsException.invalid(
          "setting-invalid",
          "dictionaries take less than a stream may have kept, got %s of %s"
              .formatted(dictionaries, stream));
    }
  }

  public static final RelayLimits DEFAULT =
      new RelayLimits(ByteSize.ofMebibytes(80), ByteSize.ofMebibytes(32));
}
