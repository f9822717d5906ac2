package io.wings.catalog.table;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.LaneRemains;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;

/**
 * Removes what a cluster keeps of a table that no name leads to any more. A name that doesn't load
 * may be a rename or a lost grant, so only a person asks for it.
 *
 * <p>Closed boundaries stay: should the uuid come back, its old lanes must not look new.
 */
public final class Forgetting {
  private static final Pattern LANE = Pattern.compile("([0-9a-f]{32})/(\\d{2})/.+");
  private static final String BOUNDARY = "/boundary";

  private final ObjectStore store;
  private final TableFiles files;
  private final Boundaries boundaries;

  /**
   * @param store the cluster's
   */
  public Forgetting(ObjectStore store, Time time, Ids ids) {
    this.store = store;
    this.files = new TableFiles(store, time, ids);
    this.boundaries = new Boundaries(store, time, ids, Backoff.STORE);
  }

  /**
   * What is there.
   *
   * @param file the cluster's note of the table, if it is still there
   * @param lanes of every incarnation, with what lies above the watermark: acknowledged, and in no
   *     table; for a lane of another incarnation than the note's, everything
   * @param objects that forgetting deletes
   */
  public record Holdings(Optional<TableFile> file, List<Lane> lanes, List<ObjectHead> objects) {}

  /** A lane, and its rows that are in no table. */
  public record Lane(LaneId lane, long watermark, LaneRemains above) {}

  /** Looks, and changes nothing. */
  public Holdings look(TableId table) {
    Optional<TableFile> file = files.read(table);
    List<ObjectHead> objects = new ArrayList<>();
    List<Lane> lanes = new ArrayList<>();
    for (LaneId lane : list(table, objects)) {
      long watermark =
          file.filter(f -> f.incarnation().equals(lane.incarnation()) && lane.lane() < f.lanes())
              .map(f -> f.watermarks().get(lane.lane()))
              .orElse(0L);
      lanes.add(new Lane(lane, watermark, LaneRemains.of(store, lane, watermark)));
    }
    return new Holdings(file, lanes, objects);
  }

  /** The table's lanes; adds what isn't a boundary to {@code objects}. */
  private List<LaneId> list(TableId table, List<ObjectHead> objects) {
    String prefix = Keys.table(table);
    TreeMap<String, NavigableSet<Integer>> lanes = new TreeMap<>();
    Iterator<ObjectHead> listing = store.list(prefix, "");
    while (listing.hasNext()) {
      ObjectHead object = listing.next();
      Matcher matcher = LANE.matcher(object.key().substring(prefix.length()));
      if (matcher.matches()) {
        lanes
            .computeIfAbsent(matcher.group(1), _ -> new TreeSet<>())
            .add(Integer.parseInt(matcher.group(2)));
      }
      if (!(matcher.matches() && object.key().endsWith(BOUNDARY))) {
        objects.add(object);
      }
    }
    List<LaneId> found = new ArrayList<>();
    lanes.forEach(
        (incarnation, numbers) ->
            numbers.forEach(lane -> found.add(new LaneId(table, incarnation, lane))));
    return found;
  }

  /**
   * Refuses to forget a table that some name still loads, and one of which that isn't known.
   *
   * @throws WingsException {@code table-loads}; UNAVAILABLE {@code catalog-unavailable}, {@code
   *     search-incomplete}
   */
  public void requireGone(
      TableId table, Holdings holdings, Catalog catalog, SupportsNamespaces namespaces) {
    if (holdings.file().isEmpty()) {
      return;
    }
    TableSearch search = new TableSearch(catalog, namespaces, table.uuid());
    switch (search.find(holdings.file().get().identifier())) {
      case TableSearch.Result.Found(TableIdentifier name) ->
          throw WingsException.invalid(
              "table-loads",
              "%s loads table %s; drop it first, or leave it".formatted(name, table.uuid()));
      case TableSearch.Result.Absent() -> {}
      case TableSearch.Result.Incomplete(WingsException reason) ->
          throw WingsException.unavailable(
              reason.code(),
              reason.detail() + "; once you know that no name loads it, say --catalog-gone",
              reason);
    }
  }

  /**
   * Closes the table's lanes, deletes its segments, ledgers and copies, and its {@code table.json}
   * last: until then it can be asked for again.
   *
   * @return how many objects were deleted
   */
  public int forget(TableId table) {
    list(table, new ArrayList<>()).forEach(lane -> LaneClosing.close(boundaries, lane));
    List<ObjectHead> objects = new ArrayList<>();
    List<LaneId> _ = list(table, objects);
    String last = Keys.tableJson(table);
    for (ObjectHead object : objects) {
      if (!object.key().equals(last)) {
        store.delete(object.key());
      }
    }
    store.delete(last);
    return objects.size();
  }
}
