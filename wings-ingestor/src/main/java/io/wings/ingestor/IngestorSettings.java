package io.wings.ingestor;

import io.wings.common.config.ByteSize;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.tls.Transport;
import io.wings.ingestor.lane.LaneSettings;
import io.wings.ingestor.stream.StreamLimits;
import java.time.Duration;

/**
 * What an ingestor is told at start.
 *
 * @param listen where load balancers connect; port 0 takes an ephemeral one
 * @param identity by which it knows the cluster's roles
 * @param transport of those who connect
 * @param lanes how lanes are written
 * @param streams what one stream may ask for
 * @param tableRefresh how old what is known of a table may get before it is looked up again, and so
 *     how late a drop, a recreation or an altered schema is noticed
 * @param calls that are served at once
 * @param decoding batches that are decoded at once
 * @param dictionaries memory for the dictionaries of all streams
 * @param inbound bytes of frames that have arrived and wait, in all streams together
 * @param stopGrace how long streams may take to settle when the process stops
 */
public record IngestorSettings(
    HostPort listen,
    ClusterIdentity identity,
    Transport transport,
    LaneSettings lanes,
    StreamLimits streams,
    Duration tableRefresh,
    int calls,
    int decoding,
    ByteSize dictionaries,
    ByteSize inbound,
    Duration stopGrace) {
  public IngestorSettings {
    if (calls < 1 || decoding < 1) {
      throw WingsException.invalid(
          "setting-invalid",
          "calls and decoding are at least 1, got %d and %d".formatted(calls, decoding));
    }
  }

  /** With everything else by default. */
  public static IngestorSettings of(HostPort listen, ClusterIdentity identity, LaneSettings lanes) {
    return new IngestorSettings(
        listen,
        identity,
        Transport.Plaintext.INSTANCE,
        lanes,
        StreamLimits.forSegment(Math.toIntExact(lanes.segmentCapBytes())),
        Duration.ofSeconds(3),
        10_000,
        2,
        ByteSize.ofMebibytes(128),
        ByteSize.ofMebibytes(256),
        Duration.ofSeconds(10));
  }

  /** The same for roles that connect otherwise. */
  public IngestorSettings over(Transport transport) {
    return new IngestorSettings(
        listen,
        identity,
        transport,
        lanes,
        streams,
        tableRefresh,
        calls,
        decoding,
        dictionaries,
        inbound,
        stopGrace);
  }
}
