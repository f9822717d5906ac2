package io.wings.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.catalog.table.Watermarks;
import io.wings.simulation.Book.Row;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.SimulatedS3;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/**
 * The table as a stock reader sees it, and its watermarks, which only go forward, and never past
 * the log.
 */
final class TableChecker implements SimulatedS3.Observer {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final World world;
  private final FileIO io;
  private final LiveFiles live;
  private @Nullable TableMetadata metadata;
  private @Nullable Watermarks watermarks;
  private TableIdentifier name = TableIdentifier.of("db", "t");
  private String id = "";
  private int renames;
  private final Set<Long> snapshots = new HashSet<>();
  private long commits;

  TableChecker(World world, LiveFiles live) {
    this.world = world;
    this.live = live;
    this.io = SimulatedFileIO.of(world.warehouse().truth());
  }

  long commits() {
    return commits;
  }

  long watermark(int lane) {
    Watermarks known = watermarks;
    return known == null ? 0 : known.number(lane);
  }

  /** Under which name the table is now. */
  TableIdentifier name() {
    return name;
  }

  /** How often it got another. */
  int renames() {
    return renames;
  }

  boolean is(UUID uuid) {
    TableMetadata now = metadata;
    return now != null && uuid.toString().equals(now.uuid());
  }

  /** Whether a file is this table's, and not of another that took over its name. */
  boolean owns(String location) {
    TableMetadata now = metadata;
    return now != null && location.startsWith(now.location() + "/");
  }

  private void renamed(byte[] names) throws IOException {
    for (JsonNode table : JSON.readTree(names).path("tables")) {
      TableIdentifier now = TableIdentifier.of("db", table.path("name").asText());
      if (table.path("id").asText().equals(id) && !now.equals(name)) {
        name = now;
        renames++;
      }
    }
  }

  @Override
  public void written(SimulatedProcess by, String key, byte[] bytes) {
    try {
      if (!key.startsWith("tables/")) {
        renamed(bytes);
        return;
      }
      String location = JSON.readTree(bytes).path("metadata_location").asText();
      TableMetadata now = TableMetadataParser.read(io, location);
      TableMetadata before = metadata;
      if (before != null && !Objects.equals(before.uuid(), now.uuid())) {
        return;
      }
      commits++;
      now.snapshots().forEach(snapshot -> snapshots.add(snapshot.snapshotId()));
      metadata = now;
      id = key.substring("tables/".length(), key.length() - ".json".length());
      world.columns().are(now.schema());
      // What was in main is looked up before it is let go.
      Set<Row> rows = before == null ? Set.of() : movedFrom(before, now);
      live.are(by, now);
      if (before != null) {
        main(by, before, now, rows);
      }
      look(by, now);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isNext(TableMetadata before, TableMetadata now) {
    Snapshot was = before.currentSnapshot();
    Snapshot is = now.currentSnapshot();
    if (is == null || was == null) {
      return was == null && (is == null || before.snapshot(is.snapshotId()) == null);
    }
    return is.snapshotId() == was.snapshotId()
        || (before.snapshot(is.snapshotId()) == null
            && Objects.equals(is.parentId(), was.snapshotId()));
  }

  /** The rows of a main that isn't the parent of the next. */
  private Set<Row> movedFrom(TableMetadata before, TableMetadata now) {
    return isNext(before, now) ? Set.of() : live.rows(before.currentSnapshot());
  }

  /** Wings only ever adds to main; another engine may put it wherever it likes. */
  private void main(
      SimulatedProcess by, TableMetadata before, TableMetadata now, Set<Row> rowsBefore) {
    boolean foreign = Foreign.is(by);
    Snapshot is = now.currentSnapshot();
    if (!foreign && (!isNext(before, now) || !live.keeps(before.currentSnapshot(), is))) {
      world.violated(
          "%s moved main from %s to %s".formatted(by.name(), before.currentSnapshot(), is));
    }
    if (!isNext(before, now)) {
      Set<Row> rowsNow = live.rows(is);
      Set<Row> gone = new LinkedHashSet<>(rowsBefore);
      gone.removeAll(rowsNow);
      Set<Row> back = new LinkedHashSet<>(rowsNow);
      back.removeAll(rowsBefore);
      world.book().moved(gone, back);
      world.guards().add("row rolled back", gone.size());
    }
    long cameBack = world.book().withdrawn(live.rows(is));
    if (cameBack > 0) {
      world.violated(
          "%s brought %d rows back that another engine took out".formatted(by.name(), cameBack));
    }
    int most = world.scenario().table().maxSnapshots();
    if (by.name().startsWith("worker")
        && now.refs().size() == 1
        && SnapshotUtil.ancestorIds(is, now::snapshot).size() > most + most / 10) {
      world.violated(by.name() + " left more than " + most + " snapshots in main");
    }
  }

  private void look(SimulatedProcess by, TableMetadata now) {
    Watermarks before = watermarks;
    switch (Watermarks.read(
        now.properties(), World.CLUSTER_ID, SimulatedCatalogs.MAIN, UUID.fromString(now.uuid()))) {
      case Watermarks.Reading.Own(Watermarks own) -> {
        for (int lane = 0; lane < own.lanes(); lane++) {
          long head = world.log().head(own.incarnation(), lane);
          if (own.number(lane) > head) {
            world.violated(
                "%s set watermark %d of lane %d, whose log ends at %d"
                    .formatted(by.name(), own.number(lane), lane, head));
          }
          if (before != null
              && (!before.sameIdentity(own) || before.number(lane) > own.number(lane))) {
            world.violated(
                "%s took the watermarks back from %s to %s".formatted(by.name(), before, own));
          }
        }
        watermarks = own;
      }
      case Watermarks.Reading reading -> {
        if (before != null) {
          world.violated(by.name() + " left the table with watermarks " + reading);
        }
      }
    }
  }

  /** Whether everything that the log holds is in the table. */
  boolean visible() {
    Watermarks known = watermarks;
    if (known == null) {
      return false;
    }
    for (int lane = 0; lane < known.lanes(); lane++) {
      if (known.number(lane) < world.log().head(known.incarnation(), lane)) {
        return false;
      }
    }
    return true;
  }

  String lag() {
    Watermarks known = watermarks;
    if (known == null) {
      return "not adopted";
    }
    StringBuilder lag = new StringBuilder();
    for (int lane = 0; lane < known.lanes(); lane++) {
      lag.append(known.number(lane))
          .append('/')
          .append(world.log().head(known.incarnation(), lane))
          .append(' ');
    }
    return lag.toString();
  }

  /** How often each row is in the table now. */
  Map<Row, Integer> rows() {
    TableMetadata now = metadata;
    return now == null ? Map.of() : rows(new BaseTable(new StaticTableOperations(now, io), "t"));
  }

  /** Whether a snapshot was ever in the table. */
  boolean hasCommitted(long snapshot) {
    return snapshots.contains(snapshot);
  }

  /** The rows of a snapshot; empty where it is gone. */
  Optional<Set<Row>> rowsAt(long snapshot) {
    TableMetadata now = metadata;
    if (now == null || now.snapshot(snapshot) == null) {
      return Optional.empty();
    }
    Table table = new BaseTable(new StaticTableOperations(now, io), "t");
    return Optional.of(rows(IcebergGenerics.read(table).useSnapshot(snapshot)).keySet());
  }

  private Map<Row, Integer> rows(Table table) {
    return rows(IcebergGenerics.read(table));
  }

  private Map<Row, Integer> rows(IcebergGenerics.ScanBuilder scan) {
    Map<Row, Integer> found = new HashMap<>();
    try (CloseableIterable<Record> records = scan.build()) {
      for (Record record : records) {
        int _ = found.merge(row(record), 1, Integer::sum);
        world.columns().violations(record).forEach(world::violated);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  static Row row(Record record) {
    return new Row(
        (Integer) record.getField("producer"),
        (Integer) record.getField("attempt"),
        (Long) record.getField("sequence"),
        (Integer) record.getField("row"));
  }
}
