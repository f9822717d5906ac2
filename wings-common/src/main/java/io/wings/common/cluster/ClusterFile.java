package io.wings.common.cluster;

import io.wings.common.cas.CasObject;
import io.wings.common.cas.JsonCodec;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
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
    return usable(
        store,
        object(store, time, ids)
            .createIfAbsent(new ClusterFile(ids.hex(), store.address(), SUPPORTED)));
  }

  /**
   * The same of a cluster that is there: a mistyped address makes none.
   *
   * @throws WingsException NOT_FOUND {@code cluster-unknown}, and what {@link #open} throws
   */
  public static ClusterFile existing(ObjectStore store, Time time, Ids ids) {
    return usable(store, required(store, read(store, time, ids)));
  }

  /**
   * What was read.
   *
   * @throws WingsException NOT_FOUND {@code cluster-unknown} when nothing was
   */
  public static ClusterFile required(ObjectStore store, Optional<ClusterFile> read) {
    return read.orElseThrow(
        () ->
            WingsException.notFound(
                "cluster-unknown",
                "there is no cluster at %s; check --store, or start the roles there, which make one"
                    .formatted(store.address())));
  }

  private static ClusterFile usable(ObjectStore store, ClusterFile file) {
    if (!file.address().equals(store.address())) {
      throw WingsException.invalid(
          "cluster-moved",
          "%s says that its cluster %s is at %s, but this store is at %s; a copy would serve the"
                  .formatted(Keys.CLUSTER, file.clusterId(), file.address(), store.address())
              + " same tables twice: start the roles on the original, or see `wings cluster`");
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

  private static CasObject<ClusterFile> object(ObjectStore store, Time time, Ids ids) {
    return new CasObject<>(
        store, Keys.CLUSTER, JsonCodec.tolerant(ClusterFile.class), time, ids, Backoff.STORE);
  }

  /** The file as it is, wherever it says that its cluster is. */
  public static Optional<ClusterFile> read(ObjectStore store, Time time, Ids ids) {
    return object(store, time, ids).read();
  }

  /**
   * Says that the cluster is at {@code address} from now on: no role starts here any more, and
   * those on a copy made afterwards do there. All roles must have stopped.
   *
   * @throws WingsException {@code cluster-moved} when it isn't at this store
   */
  public static ClusterFile move(ObjectStore store, String address, Time time, Ids ids) {
    return changed(
        store,
        time,
        ids,
        file -> {
          if (file.address.equals(address)) {
            return file;
          }
          if (!file.address.equals(store.address())) {
            throw WingsException.invalid(
                "cluster-moved",
                "cluster %s is at %s already, not at %s"
                    .formatted(file.clusterId, file.address, store.address()));
          }
          return new ClusterFile(file.clusterId, address, file.formats);
        });
  }

  /**
   * Makes a copy a cluster of its own, with an id of its own: what the original has written since
   * isn't here, so that no table's watermark may be taken for one of this log.
   *
   * @throws WingsException {@code cluster-here} when the file says that its cluster is here
   */
  public static ClusterFile takeOver(ObjectStore store, Time time, Ids ids) {
    String fresh = ids.hex();
    return changed(
        store,
        time,
        ids,
        file -> {
          if (file.clusterId.equals(fresh)) {
            return file;
          }
          if (file.address.equals(store.address())) {
            throw WingsException.invalid(
                "cluster-here", "cluster %s is at %s".formatted(file.clusterId, file.address));
          }
          return new ClusterFile(fresh, store.address(), file.formats);
        });
  }

  /**
   * Lets writers use {@code formats}, which all roles must be able to read. A version never falls.
   */
  public static ClusterFile upgrade(
      ObjectStore store, Map<String, Integer> formats, Time time, Ids ids) {
    return changed(
        store,
        time,
        ids,
        file -> {
          Map<String, Integer> raised = new TreeMap<>(file.formats);
          formats.forEach((format, version) -> raised.merge(format, version, Math::max));
          return new ClusterFile(file.clusterId, file.address, raised);
        });
  }

  private static ClusterFile changed(
      ObjectStore store, Time time, Ids ids, UnaryOperator<ClusterFile> change) {
    return object(store, time, ids)
        .update(
            current -> {
              ClusterFile file = required(store, current);
              ClusterFile next = change.apply(file);
              return next.equals(file) ? Optional.empty() : Optional.of(next);
            })
        .orElseThrow();
  }
}
