package io.wings.catalog.commit;

import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;

/**
 * One commit to one table.
 *
 * @param catalog whose client retries nothing by itself
 * @param uuid the table that is meant; another under the same name is never touched
 * @param marks what guards the commit against being applied twice
 * @param change what happens to the table's files
 * @param summary further entries of the snapshot's summary
 * @param maxSnapshots above so many of main, the oldest that no ref's retention keeps are expired
 *     in the same commit; {@link #NO_EXPIRY}: none
 * @param names begins the names of the manifests and manifest lists that are written; may be empty
 * @param listener told before every post, and of what it expires
 */
public record CommitRequest(
    Catalog catalog,
    TableIdentifier identifier,
    UUID uuid,
    Marks marks,
    TableChange change,
    Map<String, String> summary,
    int maxSnapshots,
    String names,
    BaseListener listener) {
  /** Expires nothing. */
  public static final int NO_EXPIRY = Integer.MAX_VALUE;

  public CommitRequest {
    summary = Map.copyOf(summary);
  }

  /**
   * One that expires nothing, since nobody notes what becomes of the files: those of expired
   * snapshots would be left for good.
   */
  public static CommitRequest unnoted(
      Catalog catalog, TableIdentifier identifier, UUID uuid, Marks marks, TableChange change) {
    return new CommitRequest(
        catalog, identifier, uuid, marks, change, Map.of(), NO_EXPIRY, "", _ -> {});
  }

  /**
   * Table properties that say what has been committed.
   *
   * @param prefix of their keys
   * @param before exactly the properties with the prefix that a base must have
   * @param after what they are once the commit has landed; also in the snapshot's summary
   */
  public record Marks(String prefix, Map<String, String> before, Map<String, String> after) {
    /**
     * Begins the keys in a snapshot's summary that say what the marks were before it, in short: of
     * each value the part behind its last slash. Its parent needn't say: main may have been rolled
     * back in between, and no mark with it. Left out where what stands before that slash changes:
     * the two values then count different things.
     */
    public static final String BEFORE = "wings.before.";

    public Marks {
      before = Map.copyOf(before);
      after = Map.copyOf(after);
      if (!after.keySet().stream().allMatch(key -> key.startsWith(prefix))
          || !before.keySet().stream().allMatch(key -> key.startsWith(prefix))) {
        throw new IllegalArgumentException("marks begin with " + prefix);
      }
    }

    /** What the snapshot's summary says of them. */
    Map<String, String> summary() {
      Map<String, String> summary = new TreeMap<>(after);
      before.forEach(
          (key, value) -> {
            int slash = value.lastIndexOf('/');
            String now = after.getOrDefault(key, value);
            if (value.substring(0, slash + 1).equals(now.substring(0, now.lastIndexOf('/') + 1))) {
              summary.put(BEFORE + key.substring(prefix.length()), value.substring(slash + 1));
            }
          });
      return summary;
    }
  }
}
