package io.wings.loadbalancer.proxy;

import io.wings.common.config.ByteSize;
import io.wings.common.grant.GrantsWatch;
import io.wings.loadbalancer.relay.RelayLimits;
import java.time.Duration;

/**
 * What clients may cost.
 *
 * @param message largest message of a stream; a segment's cap and room for its envelope, and less
 *     than an ingestor takes, which would end the stream without saying why
 * @param metadata largest set of headers
 * @param callsPerPrincipal open calls of one principal
 * @param calls open calls of all
 * @param buffer bytes of frames that are held for all streams together
 * @param lookup how long a look-up or a routed action may take, unless it says itself
 * @param lookupAge how long what is known of a table counts; also how late a dropped, recreated or
 *     altered one is noticed
 * @param linger how long frames of a stream that has ended are read and dropped, so that a client
 *     which reads nothing while it sends gets to its end and sees the error
 * @param tenantBuffer bytes of frames that the streams of one catalog may have kept before they are
 *     read no further
 * @param relay what one stream may have kept
 * @param patience how long a stream waits for an ingestor that takes it
 * @param recheck between two looks at whether callers of open calls are known and may go on
 * @param login how long a handshake may take
 */
public record ProxyLimits(
    ByteSize message,
    ByteSize metadata,
    int callsPerPrincipal,
    int calls,
    ByteSize buffer,
    Duration lookup,
    Duration lookupAge,
    Duration linger,
    ByteSize tenantBuffer,
    RelayLimits relay,
    Duration patience,
    Duration recheck,
    Duration login) {
  public static final ProxyLimits DEFAULT =
      new ProxyLimits(
          ByteSize.ofMebibytes(72),
          ByteSize.ofKibibytes(16),
          1_000,
          10_000,
          ByteSize.ofMebibytes(256),
          Duration.ofSeconds(30),
          Duration.ofSeconds(3),
          Duration.ofMinutes(1),
          ByteSize.ofMebibytes(128),
          RelayLimits.DEFAULT,
          Duration.ofSeconds(30),
          GrantsWatch.INTERVAL,
          Duration.ofSeconds(10));
}
