package io.wings.common.cluster;

import io.wings.common.cas.CasObject;
import io.wings.common.cas.JsonCodec;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * {@code cluster.json}: what makes a prefix this cluster and no other.
 *
 * @param clusterId 32 hexadecimal digits, drawn once
 * @param address where the cluster's store was when the file was made ({@link
 *     ObjectStore#address()}); a copy elsewhere is refused until it was moved on purpose
 * @param formats the version that writers use, by the name of the format
 */
public record ClusterFile(String clusterId, String address, Map<String, Integer> formats) {
  /** The newest versions that this program reads and writes. */
  public static final Map<String, Integer> SUPPORTED = Map.of("wal", 1, "queue", 1);

  private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");

  public ClusterFile {
    if (!ID.matcher(clusterId).matches()) {
      throw WingsException.corrupt(
          "cluster-file-invalid",
          "a cluster id is 32 hexadecimal digits, got \"" + Printable.of(clusterId) + "\"");
    }
    formats = Map.copyOf(formats);
  }

  /**
   * Reads the cluster's file, made at the first start, and refuses a cluster that isn't at its own
   * address or uses formats that this program doesn't know.
   *
   * @throws WingsException INVALID {@code cluster-moved} or {@code cluster-format-unsupported};
   *     CORRUPT {@code cluster-file-invalid}
   */
  public static ClusterFile open(ObjectStore store, Time time, Ids ids) {
    CasObject<ClusterFile> object =
        new CasObject<>(
            store, Keys.CLUSTER, new JsonCodec<>(ClusterFile.class), time, ids, Backoff.STORE);
    ClusterFile file =
        object.createIfAbsent(new ClusterFile(ids.hex(), store.address(), SUPPORTED));
    if (!file.address().equals(store.address())) {
      throw WingsException.invalid(
          "cluster-moved",
          "%s says that its cluster %s is at %s, but this store is at %s; a copy would serve the"
                  .formatted(Keys.CLUSTER, file.clusterId(), file.address(), store.address())
              + " same tables twice: start the roles on the original");
    }
    new TreeMap<>(file.formats())
        .forEach(
            (format, version) -> {
              int newest = SUPPORTED.getOrDefault(format, 0);
              if (version < 1 || version > newest) {
                throw WingsException.invalid(
                    "cluster-format-unsupported",
                    "cluster %s writes version %d of %s, this program knows up to %d: start a newer"
                            .formatted(file.clusterId(), version, Printable.of(format), newest)
                        + " program");
              }
            });
    return file;
  }
}
