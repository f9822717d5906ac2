package io.wings.catalog.commit;

import io.wings.catalog.io.MetadataSize;
import io.wings.common.cluster.Printable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.ValidationException;

/**
 * Commits to Iceberg tables: the only way in which Wings does.
 *
 * <p>An attempt loads the table, checks it, stages its change on what it loaded and posts once.
 * Whatever the post throws, the next attempt first looks for the snapshot of the ones before it; a
 * post that lands after that look either preceded the new base or fails, since every post asserts
 * main and moves it.
 */
public final class TableCommits {
  /** Key of the attempt's id in a snapshot's summary. */
  public static final String ATTEMPT = "wings.attempt";

  /** Posts of one commit; beyond this the caller starts over. */
  public static final int MAX_ATTEMPTS = 12;

  private final Ids ids;
  private final Retry retry;

  /**
   * @param backoff between attempts
   */
  public TableCommits(Time time, Ids ids, Backoff backoff) {
    this.ids = ids;
    this.retry = new Retry(time, ids, backoff);
  }

  /**
   * Commits, and returns once it is known how it ended.
   *
   * @throws WingsException {@code table-not-found}; {@code table-replaced} (another uuid); {@code
   *     watermark-lost} (it landed, and the marks don't show: the catalog strips them, or someone
   *     put old ones back); {@code retries-exhausted}, {@code interrupted}: it is not known how it
   *     ended, and the next commit with the same {@link CommitRequest.Marks#before} is safe
   */
  public CommitOutcome commit(CommitRequest request) {
    Made made = new Made();
    return retry.run("commit to " + name(request), MAX_ATTEMPTS, _ -> attempt(request, made));
  }

  /** What the attempts of one commit have made so far. */
  private static final class Made {
    private static final int A_MANIFEST_AND_ITS_LIST = 2;

    /** Manifest lists by the ids of attempts whose outcome is not known. */
    private final Map<String, String> posted = new HashMap<>();

    private int staged;

    /** Manifests and lists of the last attempt. */
    private int named;

    /**
     * Whether there may be others than those that the landed snapshot needs: a manifest that was
     * merged into another, those of another attempt, a list that the catalog has replaced.
     */
    boolean leaves(Snapshot landed) {
      String list = posted.get(landed.summary().getOrDefault(ATTEMPT, ""));
      return staged > 1
          || named > A_MANIFEST_AND_ITS_LIST
          || !landed.manifestListLocation().equals(list);
    }
  }

  private Attempt<CommitOutcome> attempt(CommitRequest request, Made made) {
    Table table;
    try {
      table = request.catalog().loadTable(request.identifier());
    } catch (NoSuchTableException | NotFoundException e) {
      throw notFound(request, e);
    } catch (WingsException e) {
      throw e;
    } catch (RuntimeException e) {
      return again("can't load the table", e);
    }
    TableOperations operations = ((HasTableOperations) table).operations();
    TableMetadata base = operations.current();
    requireSameTable(request, base);
    Optional<Snapshot> landed = find(base, made.posted.keySet());
    if (landed.isPresent()) {
      return Attempt.done(landed(request, table, base, landed.get(), made));
    }
    Map<String, String> marks = marks(request, base);
    if (!marks.equals(request.marks().before())) {
      return Attempt.done(new CommitOutcome.Moved(table, marks));
    }
    return stage(request, table, operations, made);
  }

  private Attempt<CommitOutcome> stage(
      CommitRequest request, Table table, TableOperations operations, Made made) {
    AttemptOperations attempt = new AttemptOperations(operations, request.names());
    made.staged++;
    String id = ids.hex();
    try {
      SnapshotUpdate<?> update =
          request.change().on(new BaseTable(attempt, request.identifier().toString()));
      if (update == null) {
        return Attempt.done(new CommitOutcome.Stale(table));
      }
      request.summary().forEach(update::set);
      request.marks().summary().forEach(update::set);
      update.set(ATTEMPT, id);
      update.deleteWith(_ -> {});
      update.scanManifestsWith(DirectExecutor.INSTANCE);
      update.writeManifestsWith(DirectExecutor.INSTANCE, 1);
      update.commit();
      made.named = attempt.named();
    } catch (ValidationException e) {
      return Attempt.done(new CommitOutcome.Stale(table));
    } catch (WingsException
        | IllegalArgumentException
        | NullPointerException
        | UnsupportedOperationException e) {
      throw e;
    } catch (RuntimeException e) {
      return again("can't write the manifests", e);
    }
    attempt.amend(amended(request, attempt.current()));
    return post(request, table, attempt, id, made);
  }

  private static TableMetadata amended(CommitRequest request, TableMetadata staged) {
    Set<String> dropped =
        request.marks().before().keySet().stream()
            .filter(key -> !request.marks().after().containsKey(key))
            .collect(Collectors.toSet());
    return TableMetadata.buildFrom(staged)
        .setProperties(request.marks().after())
        .removeProperties(dropped)
        .removeSnapshots(SnapshotCap.excess(staged, request.maxSnapshots()))
        .build();
  }

  private static Attempt<CommitOutcome> post(
      CommitRequest request, Table table, AttemptOperations attempt, String id, Made made) {
    TableMetadata base = attempt.base();
    long snapshotId = find(attempt.current(), Set.of(id)).orElseThrow().snapshotId();
    if (attempt.current().currentSnapshot().snapshotId() != snapshotId
        || base.snapshot(snapshotId) != null) {
      throw new IllegalStateException("the staged commit doesn't add a snapshot to main");
    }
    MetadataSize.check(request.identifier(), base, attempt.current());
    request.listener().beforePost(announced(base, attempt.current()));
    made.posted.put(id, attempt.current().currentSnapshot().manifestListLocation());
    TableMetadata now;
    try {
      attempt.post();
      now = ((HasTableOperations) table).operations().current();
    } catch (RuntimeException e) {
      return again("outcome unknown", e);
    }
    Optional<Snapshot> landed = find(now, made.posted.keySet());
    if (landed.isEmpty() || !marks(request, now).equals(request.marks().after())) {
      return Attempt.again("the catalog's answer doesn't show the commit");
    }
    return Attempt.done(new CommitOutcome.Landed(table, snapshotId, made.leaves(landed.get())));
  }

  private static BaseListener.Post announced(TableMetadata base, TableMetadata staged) {
    Snapshot main = base.currentSnapshot();
    List<BaseListener.ExpiredSnapshot> expired = new ArrayList<>();
    for (Snapshot snapshot : base.snapshots()) {
      // Only formats that Wings doesn't write have snapshots without a list.
      String list = snapshot.manifestListLocation();
      if (list != null && staged.snapshot(snapshot.snapshotId()) == null) {
        expired.add(new BaseListener.ExpiredSnapshot(snapshot.snapshotId(), list));
      }
    }
    return new BaseListener.Post(
        main == null ? -1 : main.snapshotId(), base.lastSequenceNumber(), expired);
  }

  private static CommitOutcome landed(
      CommitRequest request, Table table, TableMetadata now, Snapshot landed, Made made) {
    Map<String, String> marks = marks(request, now);
    boolean shows =
        marks.equals(request.marks().after())
            || !(marks.isEmpty() || marks.equals(request.marks().before()));
    if (!shows) {
      throw WingsException.corrupt(
          "watermark-lost",
          "%s: snapshot %d landed, but the table's properties show %s instead of %s; the catalog strips them or someone changed them"
              .formatted(name(request), landed.snapshotId(), marks, request.marks().after()));
    }
    return new CommitOutcome.Landed(table, landed.snapshotId(), made.leaves(landed));
  }

  /** Without the exception's message, which is the catalog's and may say anything. */
  private static Attempt<CommitOutcome> again(String reason, RuntimeException cause) {
    return Attempt.again(reason + ": " + cause.getClass().getSimpleName(), cause);
  }

  private static Optional<Snapshot> find(TableMetadata metadata, Set<String> attempts) {
    if (attempts.isEmpty()) {
      return Optional.empty();
    }
    return metadata.snapshots().stream()
        .filter(snapshot -> attempts.contains(snapshot.summary().getOrDefault(ATTEMPT, "")))
        .findFirst();
  }

  private static Map<String, String> marks(CommitRequest request, TableMetadata metadata) {
    return metadata.properties().entrySet().stream()
        .filter(property -> property.getKey().startsWith(request.marks().prefix()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static void requireSameTable(CommitRequest request, TableMetadata base) {
    if (!request.uuid().toString().equals(base.uuid())) {
      throw WingsException.corrupt(
          "table-replaced",
          "%s is now table %s, expected %s".formatted(name(request), base.uuid(), request.uuid()));
    }
  }

  private static WingsException notFound(CommitRequest request, RuntimeException cause) {
    return new WingsException(
        ErrorKind.NOT_FOUND,
        "table-not-found",
        name(request) + " doesn't load: it was dropped or renamed, or a grant is gone",
        cause);
  }

  private static String name(CommitRequest request) {
    return Printable.of(request.identifier().toString());
  }
}
