package io.wings.ingestor.table;

import io.wings.common.flight.TableName;
import org.apache.arrow.vector.types.pojo.Schema;

/** Tables as streams see them. Blocking; safe for use by several threads. */
public interface Tables {
  /**
   * Looks the table up now, and adopts it if it isn't.
   *
   * @param adopting runs before it is adopted
   * @throws io.wings.common.error.WingsException {@code table-not-found}, {@code catalog-unknown}
   *     (NOT_FOUND); those of {@link io.wings.catalog.table.Adoption#adopt}
   */
  StreamTable open(TableName name, Runnable adopting);

  /**
   * The table as of a few seconds ago at most, or, while its catalog doesn't answer, as last known.
   *
   * @param adopting runs before it is adopted, as one in the other's place may have to be
   * @throws io.wings.common.error.WingsException when it was looked up since and can't be used any
   *     more
   */
  StreamTable current(TableName name, Runnable adopting);

  /**
   * Makes the table from a stream's schema unless it is there, then opens it.
   *
   * @param making runs before it is made
   * @param adopting runs before one that was there is adopted
   * @throws io.wings.common.error.WingsException as {@link #open}, and those of {@link
   *     io.wings.catalog.table.TableCreation#createIfMissing}
   */
  StreamTable createIfMissing(TableName name, Schema schema, Runnable making, Runnable adopting);

  /**
   * Adds the columns of a stream that the table hasn't got, if it asks for that.
   *
   * @param adding runs before the first are
   * @return the table, with them
   * @throws io.wings.common.error.WingsException as {@link
   *     io.wings.catalog.table.ColumnAdditions#add}
   */
  StreamTable addColumns(TableName name, Schema schema, Runnable adding);
}
