package io.wings.ingestor.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.queue.TaskScheduler;
import io.wings.common.queue.TaskSpec;
import io.wings.ingestor.lane.MaterializeScheduler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Schedules {@code materialize} for tables whose log grew: key and group {@code
 * materialize/{catalog}/{uuid}}, payload {@code catalog}, {@code uuid}, {@code name} and {@code
 * namespace} (a JSON array), after the table's commit interval.
 */
public final class Materializing implements MaterializeScheduler {
  public static final String KIND = "materialize";

  /** For a table that is no longer remembered. */
  private static final Duration DEFAULT_DELAY = Duration.ofSeconds(5);

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final TaskScheduler queue;
  private final CatalogTables tables;

  public Materializing(TaskScheduler queue, CatalogTables tables) {
    this.queue = queue;
    this.tables = tables;
  }

  @Override
  public void durable(LaneId lane, long head) {
    queue.schedule(task(lane.table(), tables.find(lane.table())));
  }

  private static TaskSpec task(TableId id, Optional<StreamTable> table) {
    String key = KIND + "/" + id.catalog() + "/" + id.uuid();
    Map<String, String> payload = new TreeMap<>();
    payload.put("catalog", id.catalog().value());
    payload.put("uuid", id.uuid().toString());
    table.ifPresent(
        t -> {
          String namespace = json(t.name().namespace());
          if (namespace.length() + t.name().table().length() < TaskSpec.MAX_PAYLOAD_CHARS / 2) {
            payload.put("name", t.name().table());
            payload.put("namespace", namespace);
          }
        });
    return new TaskSpec(
        KIND, key, key, payload, table.map(StreamTable::commitInterval).orElse(DEFAULT_DELAY));
  }

  private static String json(List<String> levels) {
    try {
      return JSON.writeValueAsString(levels);
    } catch (JsonProcessingException e) {
      throw new WingsException(ErrorKind.INTERNAL, "encoding-failed", "a namespace", e);
    }
  }
}
