package io.wings.catalog.table;

import io.wings.catalog.commit.CommitOutcome;
import io.wings.catalog.commit.CommitRequest;
import io.wings.catalog.commit.TableChange;
import io.wings.catalog.commit.TableCommits;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the columns that a stream brings to tables that ask for it ({@code
 * wings.schema.evolution=add-columns}), by a commit like any other of Wings: with an empty
 * snapshot, so that it asserts main, and with watermarks that stay as they are.
 *
 * <p>Of two ingestors that add columns of one name, the first one's stay; the other's stream is
 * aligned to them, or refused.
 */
public final class ColumnAdditions {
  private static final Logger LOG = LoggerFactory.getLogger(ColumnAdditions.class);

  /** Looks at a table that others commit to at the same time. */
  private static final int MAX_ROUNDS = 20;

  private final Adoption adoption;
  private final TableCommits commits;
  private final Retry retry;

  public ColumnAdditions(Adoption adoption, Time time, Ids ids) {
    this.adoption = adoption;
    this.commits = new TableCommits(time, ids, Backoff.STORE);
    this.retry = new Retry(time, ids, Backoff.STORE);
  }

  /**
   * How batches of {@code incoming} would become batches of the table once it had their columns;
   * for checking batches before the columns are added.
   *
   * @throws WingsException {@code schema-mismatch}, as it would be then
   */
  public static Alignment alignmentAfter(Schema incoming, org.apache.iceberg.Schema table) {
    return ProspectiveSchema.align(incoming, table);
  }

  /**
   * Whether the stream has columns that this table would be given.
   *
   * @throws WingsException {@code schema-mismatch} for one that can't be added
   */
  public static boolean areNeeded(Schema incoming, org.apache.iceberg.Schema table) {
    return !MissingColumns.of(incoming, table).isEmpty();
  }

  /**
   * Sees to it that the adopted table has every column of {@code incoming}, unless it doesn't ask
   * for that (any more). When it returns, batches may be appended that carry them.
   *
   * @param adding runs before the first commit that adds any
   * @return the table as it is then
   * @throws WingsException as {@link Adoption#load}; {@code schema-mismatch} for columns that can't
   *     be added; {@code retries-exhausted}: they may have been
   */
  public AdoptedTable add(
      CatalogName name, Catalog catalog, TableIdentifier table, Schema incoming, Runnable adding) {
    Runnable once = new Once(adding);
    return retry.run(
        "columns of " + table, MAX_ROUNDS, _ -> addOnce(name, catalog, table, incoming, once));
  }

  private Attempt<AdoptedTable> addOnce(
      CatalogName name,
      Catalog catalog,
      TableIdentifier identifier,
      Schema incoming,
      Runnable adding) {
    AdoptedTable table = adoption.load(name, catalog, identifier);
    if (!table.settings().addsColumns() || !areNeeded(incoming, table.table().schema())) {
      return Attempt.done(table);
    }
    // What can't be aligned once the columns are there is refused before they are.
    Alignment _ = alignmentAfter(incoming, table.table().schema());
    adding.run();
    Map<String, String> marks = table.watermarks().toProperties();
    CommitOutcome outcome =
        commits.commit(
            CommitRequest.unnoted(
                catalog,
                identifier,
                table.id().uuid(),
                new CommitRequest.Marks(Watermarks.PREFIX, marks, marks),
                addition(incoming)));
    if (outcome instanceof CommitOutcome.Landed(_, long snapshot, _)) {
      LOG.info("table {}: columns added in snapshot {}", table.id(), snapshot);
    }
    // Landed, or the watermarks moved, or someone else added them: the next look tells.
    return Attempt.again("the adding commit is decided");
  }

  private static TableChange addition(Schema incoming) {
    return base -> change(base, incoming);
  }

  /** Null once the base has them all. */
  private static @Nullable SnapshotUpdate<?> change(Table base, Schema incoming) {
    MissingColumns missing = MissingColumns.of(incoming, base.schema());
    if (missing.isEmpty()) {
      return null;
    }
    UpdateSchema update = base.updateSchema();
    missing.addTo(update);
    update.commit();
    return base.newFastAppend();
  }
}
