package io.wings.simulation;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.catalog.table.Watermarks;
import io.wings.simulation.Book.Row;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.SimulatedS3;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * The table as a stock reader sees it, and its watermarks, which only go forward, and never past
 * the log.
 */
final class TableChecker implements SimulatedS3.Observer {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int NOTE_FIELD = 5;

  private final World world;
  private final FileIO io;
  private @Nullable TableMetadata metadata;
  private @Nullable Watermarks watermarks;
  private long commits;

  TableChecker(World world) {
    this.world = world;
    this.io = SimulatedFileIO.of(world.warehouse().truth());
  }

  long commits() {
    return commits;
  }

  long watermark(int lane) {
    Watermarks known = watermarks;
    return known == null ? 0 : known.number(lane);
  }

  /** What the column of notes is called now; null when it is gone. */
  @Nullable String noteColumn() {
    TableMetadata now = metadata;
    Types.NestedField field = now == null ? null : now.schema().findField(NOTE_FIELD);
    return field == null ? null : field.name();
  }

  @Override
  public void written(SimulatedProcess by, String key, byte[] bytes) {
    if (!key.startsWith("tables/")) {
      return;
    }
    try {
      String location = JSON.readTree(bytes).path("metadata_location").asText();
      TableMetadata now = TableMetadataParser.read(io, location);
      commits++;
      metadata = now;
      look(by, now);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void look(SimulatedProcess by, TableMetadata now) {
    Watermarks before = watermarks;
    switch (Watermarks.read(now.properties(), World.CLUSTER_ID, UUID.fromString(now.uuid()))) {
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

  private static Map<Row, Integer> rows(Table table) {
    Map<Row, Integer> found = new HashMap<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
      for (Record record : records) {
        int _ = found.merge(row(record), 1, Integer::sum);
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
