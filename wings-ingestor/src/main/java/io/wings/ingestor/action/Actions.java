package io.wings.ingestor.action;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.common.cluster.Position;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.LaneHash;
import io.wings.common.flight.TableName;
import io.wings.common.grant.Audit;
import io.wings.common.grant.Scope;
import io.wings.common.time.Time;
import io.wings.common.wal.ProducerKey;
import io.wings.ingestor.lane.LaneSession;
import io.wings.ingestor.lane.ProducerOpened;
import io.wings.ingestor.stream.LaneOpening;
import io.wings.ingestor.stream.SchemaMessages;
import io.wings.ingestor.stream.StreamLimits;
import io.wings.ingestor.table.StreamTable;
import io.wings.ingestor.table.TableAdmin;
import io.wings.ingestor.table.TableAdmin.Described;
import io.wings.ingestor.table.TableSight;
import io.wings.ingestor.table.Tables;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Answers actions. Blocking; safe for use by several threads; an interrupt ends a wait. */
public final class Actions {
  private static final Duration FIRST_LOOK = Duration.ofMillis(100);
  private static final Duration LONGEST_BETWEEN_LOOKS = Duration.ofSeconds(1);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Tables tables;
  private final TableAdmin admin;
  private final LaneOpening lanes;
  private final StreamLimits limits;
  private final Time time;

  public Actions(
      Tables tables, TableAdmin admin, LaneOpening lanes, StreamLimits limits, Time time) {
    this.tables = tables;
    this.admin = admin;
    this.lanes = lanes;
    this.limits = limits;
    this.time = time;
  }

  /**
   * Does what {@code body} asks.
   *
   * @throws WingsException that the call ends with
   */
  public ActionReply run(String principal, ActionBody body) throws InterruptedException {
    TableName name = body.tableName();
    return switch (body) {
      case ActionBody.CreateTable create -> create(name, create);
      case ActionBody.DescribeTable _ -> description(admin.describe(name));
      case ActionBody.DropTable _ -> new ActionReply.Dropped(admin.drop(name));
      case ActionBody.OpenProducer open -> openProducer(name, principal, open.producer());
      case ActionBody.Flush flush -> flush(name, flush.lane(), adopting(principal, name));
      case ActionBody.AwaitVisible await -> awaitVisible(name, await, adopting(principal, name));
    };
  }

  private ActionReply create(TableName name, ActionBody.CreateTable body) {
    Schema schema = SchemaMessages.read(body.schemaMessage(), limits);
    return description(
        admin.create(
            name,
            schema,
            body.partitionSpec() == null ? null : body.partitionSpec().toString(),
            body.sortOrder() == null ? null : body.sortOrder().toString(),
            body.properties()));
  }

  /** Notes it for whom it is done, whose address isn't told with an action. */
  private static Runnable adopting(String principal, TableName name) {
    return () ->
        Audit.meant(
            principal, ClusterIdentity.UNKNOWN, "adopt-table", new Scope.Table(name), "action");
  }

  private static ActionReply description(Described table) {
    return new ActionReply.TableDescription(
        table.uuid(),
        table.incarnation(),
        table.lanes(),
        table.watermarks(),
        table.metadataLocation(),
        Base64.getEncoder().encodeToString(table.schema().serializeAsMessage()),
        new ActionReply.IcebergDescription(
            json(table.definition().schema()),
            json(table.definition().partitionSpec()),
            json(table.definition().sortOrder()),
            table.definition().properties()));
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Iceberg wrote no JSON", e);
    }
  }

  private ActionReply openProducer(TableName name, String principal, String producer)
      throws InterruptedException {
    StreamTable table = tables.open(name, adopting(principal, name));
    int lane = LaneHash.named(principal, producer, table.lanes());
    try (LaneSession session = lanes.open(table.lane(lane), table.watermark(lane), _ -> {})) {
      ProducerOpened opened = session.openProducer(ProducerKey.named(principal, producer));
      return new ActionReply.ProducerOpened(
          opened.epoch(),
          opened.sequence(),
          opened.token(),
          opened.floor(),
          opened.rejected(),
          opened.sequence() == 0 ? opened.horizon() : 0);
    }
  }

  private ActionReply flush(TableName name, @Nullable Integer only, Runnable adopting)
      throws InterruptedException {
    StreamTable table = tables.open(name, adopting);
    if (only != null && only >= table.lanes()) {
      throw WingsException.invalid(
          "lane-unknown",
          "table \"%s\" has %d lanes, from 0 on, got lane %d".formatted(name, table.lanes(), only));
    }
    List<Position> positions = new ArrayList<>();
    int first = only == null ? 0 : only;
    int end = only == null ? table.lanes() : only + 1;
    for (int lane = first; lane < end; lane++) {
      try (LaneSession session = lanes.open(table.lane(lane), table.watermark(lane), _ -> {})) {
        positions.add(session.flush());
      }
    }
    return new ActionReply.Flushed(positions);
  }

  private ActionReply awaitVisible(TableName name, ActionBody.AwaitVisible await, Runnable adopting)
      throws InterruptedException {
    long started = time.nanos();
    Duration pause = FIRST_LOOK;
    boolean first = true;
    while (true) {
      Look look = look(name, await);
      if (look.visible != null) {
        return look.visible;
      }
      if (first) {
        first = false;
        requireNotBeyondHead(name, await, adopting);
      }
      Duration left = await.timeout().minus(time.since(started));
      if (!left.isPositive()) {
        throw WingsException.unavailable(
            "not-visible-yet",
            "position %d is not in the table, which is at %d after %d ms; ask again"
                .formatted(await.position(), look.watermark, await.timeoutMs()),
            null);
      }
      time.sleep(pause.compareTo(left) < 0 ? pause : left);
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(LONGEST_BETWEEN_LOOKS) < 0 ? doubled : LONGEST_BETWEEN_LOOKS;
    }
  }

  /**
   * How a look ended.
   *
   * @param visible null when the position isn't in the table, or that couldn't be seen
   * @param watermark of the lane, 0 where it couldn't be seen
   */
  private record Look(ActionReply.@Nullable Visible visible, long watermark) {}

  /** A catalog that doesn't answer is asked again until the time is up. */
  private Look look(TableName name, ActionBody.AwaitVisible await) {
    TableSight sight;
    try {
      sight = admin.look(name);
    } catch (WingsException e) {
      if (e.kind() == ErrorKind.UNAVAILABLE) {
        return new Look(null, 0);
      }
      throw e;
    }
    long watermark = sight.watermark(await.incarnation(), await.lane());
    if (watermark < await.position()) {
      return new Look(null, watermark);
    }
    return new Look(
        sight
            .firstHolding(await.incarnation(), await.lane(), await.position())
            .map(snapshot -> new ActionReply.Visible(ActionReply.VisibleStatus.VISIBLE, snapshot))
            .orElseGet(() -> new ActionReply.Visible(ActionReply.VisibleStatus.PASSED, null)),
        watermark);
  }

  /**
   * Refuses to wait for what nobody was told: every position that was acknowledged is at or below
   * its lane's head. A lane that can't be looked at now says nothing.
   */
  private void requireNotBeyondHead(
      TableName name, ActionBody.AwaitVisible await, Runnable adopting)
      throws InterruptedException {
    long head;
    try {
      StreamTable table = tables.open(name, adopting);
      if (!table.incarnation().equals(await.incarnation()) || await.lane() >= table.lanes()) {
        return;
      }
      try (LaneSession session =
          lanes.open(table.lane(await.lane()), table.watermark(await.lane()), _ -> {})) {
        head = session.head();
        if (head < await.position()) {
          // What is known may be old; this sees to the log's end.
          head = session.flush().number();
        }
      }
    } catch (WingsException e) {
      if (e.kind() == ErrorKind.UNAVAILABLE) {
        return;
      }
      throw e;
    }
    if (head < await.position()) {
      throw WingsException.invalid(
          "position-beyond-head",
          "lane %d of table \"%s\" ends at %d, so nothing has position %d; wait for a position that a result or flush told"
              .formatted(await.lane(), name, head, await.position()));
    }
  }
}
