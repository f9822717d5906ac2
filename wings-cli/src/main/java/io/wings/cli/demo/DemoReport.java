package io.wings.cli.demo;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a demo measured.
 *
 * @param store where the WAL went
 * @param putMs a small put of the store itself, measured beside the load
 * @param ackMs from sending a batch to reading its acknowledgement
 * @param visibleMs from sending a batch to its commit being known to a client
 * @param mbPerS Arrow buffers, 10^6 bytes, from the first batch sent to the last acknowledged
 * @param chaos null where nothing was killed
 * @param rssMb peak resident set of each role, MiB
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record DemoReport(
    String store,
    boolean simulatedS3,
    long rowsSent,
    long rowsAcked,
    long rowsVisible,
    long rowsLost,
    long rowsDoubled,
    boolean checksumMatch,
    Latencies.Summary ackMs,
    Latencies.Summary visibleMs,
    Latencies.Summary putMs,
    long rowsPerS,
    double mbPerS,
    long walSegments,
    long dataFiles,
    long snapshots,
    @JsonUnwrapped Chaos.@Nullable Outcome chaos,
    Map<String, Long> rssMb) {

  boolean good() {
    return rowsSent == rowsAcked
        && rowsSent == rowsVisible
        && rowsLost == 0
        && rowsDoubled == 0
        && checksumMatch;
  }

  void print(PrintWriter out) {
    line(out, "store", "%s%s", store, note());
    line(out, "rows", "%,d sent, %,d acked, %,d visible", rowsSent, rowsAcked, rowsVisible);
    line(
        out,
        "check",
        "%,d lost, %,d doubled, checksums %s (read by Iceberg's own reader in another process)",
        rowsLost,
        rowsDoubled,
        checksumMatch ? "agree" : "DIFFER");
    if (chaos != null) {
      line(
          out,
          "chaos",
          "%s killed; %,d frames sent again to another ingestor, %,d of them dropped as duplicates",
          String.join(" and ", chaos.killed()),
          chaos.resent(),
          chaos.duplicatesDropped());
    }
    line(out, "ack", "%s", text(ackMs));
    line(out, "visible", "%s", text(visibleMs));
    line(out, "store put", "%s", text(putMs));
    line(out, "throughput", "%,d rows/s, %.1f MB/s of Arrow buffers", rowsPerS, mbPerS);
    line(
        out,
        "objects",
        "%,d WAL segments, %,d data files, %,d snapshots",
        walSegments,
        dataFiles,
        snapshots);
    line(out, "peak RSS", "%s MiB", rssMb);
    out.flush();
  }

  private String note() {
    if (simulatedS3) {
      return " with S3's latencies added";
    }
    return store.startsWith("s3:") ? "" : ": a local directory is not S3, see --simulate-s3";
  }

  private static String text(Latencies.Summary summary) {
    return String.format(
        Locale.ROOT,
        "p50 %.1f ms, p99 %.1f ms, max %.1f ms",
        summary.p50(),
        summary.p99(),
        summary.max());
  }

  private static void line(PrintWriter out, String name, String format, Object... values) {
    out.printf(Locale.ROOT, "  %-11s " + format + "%n", prepend(name, values));
  }

  private static Object[] prepend(String name, Object[] values) {
    Object[] all = new Object[values.length + 1];
    all[0] = name;
    System.arraycopy(values, 0, all, 1, values.length);
    return all;
  }
}
