package io.wings.ingestor.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.wings.catalog.commit.CommitRequest;
import io.wings.catalog.table.Watermarks;
import io.wings.common.cluster.CatalogName;
import io.wings.common.flight.TableName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TableSightTest {
  private static final String INCARNATION = "0123456789abcdef0123456789abcdef";
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");

  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private String incarnation = INCARNATION;

  @BeforeEach
  void createTable() {
    catalog.initialize("main", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    var _ =
        catalog
            .buildTable(
                TABLE, new Schema(Types.NestedField.required(1, "id", Types.LongType.get())))
            .withProperty("format-version", "3")
            .create();
  }

  private Table table() {
    return catalog.loadTable(TABLE);
  }

  private Map<String, String> marks(long number) {
    UUID uuid = UUID.fromString(((HasTableOperations) table()).operations().current().uuid());
    return new Watermarks("c1", new CatalogName("main"), uuid, incarnation, List.of(number))
        .toProperties();
  }

  /** As a pass commits: from one watermark to the next. */
  private long pass(long before, long after, boolean saysBefore) {
    AppendFiles append = table().newFastAppend();
    marks(after).forEach(append::set);
    if (saysBefore) {
      append.set(CommitRequest.Marks.BEFORE + "0", String.valueOf(before));
    }
    append.commit();
    UpdateProperties properties = table().updateProperties();
    marks(after).forEach(properties::set);
    properties.commit();
    return table().currentSnapshot().snapshotId();
  }

  private TableSight sight() {
    return TableSight.of(new TableName(new CatalogName("main"), List.of("db"), "t"), table(), "c1");
  }

  private Optional<Long> firstHolding(long number) {
    return sight().firstHolding(incarnation, 0, number);
  }

  private Optional<Long> holding(long from, long through) {
    return sight().history(incarnation, 0).holding(from, through);
  }

  @Test
  void namesTheSnapshotThatBroughtAPosition() {
    long first = pass(0, 4, true);
    long second = pass(4, 10, true);
    long columns = pass(10, 10, true);
    long third = pass(10, 12, true);
    assertEquals(Optional.of(first), firstHolding(4));
    assertEquals(Optional.of(second), firstHolding(5));
    assertEquals(Optional.of(second), firstHolding(10));
    assertEquals(Optional.of(third), firstHolding(11));
    assertEquals(false, firstHolding(10).equals(Optional.of(columns)));
  }

  /** P6: the watermark stays where it was, and the next snapshot's rows begin behind it. */
  @Test
  void namesNoSnapshotForRowsThatWereRolledBack() {
    long first = pass(0, 4, true);
    long gone = pass(4, 10, true);
    table().manageSnapshots().rollbackTo(first).commit();
    assertEquals(Optional.empty(), firstHolding(7));
    long next = pass(10, 12, true);
    assertEquals(Optional.empty(), firstHolding(7));
    table().expireSnapshots().expireSnapshotId(gone).commit();
    assertEquals(Optional.empty(), firstHolding(7), "though the snapshot that had it is unknown");
    assertEquals(Optional.of(first), firstHolding(4));
    assertEquals(Optional.of(next), firstHolding(11));
  }

  @Test
  void namesNoSnapshotWhereThoseThatCouldTellAreGone() {
    long first = pass(0, 4, true);
    long second = pass(4, 10, true);
    table().expireSnapshots().expireSnapshotId(first).commit();
    assertEquals(Optional.empty(), firstHolding(4));
    assertEquals(Optional.of(second), firstHolding(5));
  }

  /** Those of an earlier version don't say on which watermarks they were made. */
  @Test
  void snapshotsThatDoNotSayAreTakenToGoOnFromTheirParents() {
    pass(0, 0, false);
    long first = pass(0, 4, false);
    long second = pass(4, 10, false);
    assertEquals(Optional.of(first), firstHolding(3));
    assertEquals(Optional.of(second), firstHolding(7));
    assertEquals(Optional.of(pass(10, 12, true)), firstHolding(12));
    assertEquals(Optional.of(second), firstHolding(7));
  }

  /** P6: a range's snapshot has all of it, or none is named. */
  @Test
  void namesASnapshotForARangeOnlyWhereNothingOfItWasRolledBack() {
    long first = pass(0, 4, true);
    long second = pass(4, 5, true);
    assertEquals(Optional.of(second), holding(1, 5));
    table().manageSnapshots().rollbackTo(first).commit();
    long third = pass(5, 6, true);
    long columns = pass(6, 6, true);
    long fourth = pass(6, 9, true);
    assertEquals(Optional.empty(), holding(5, 6));
    assertEquals(Optional.empty(), holding(1, 9));
    assertEquals(Optional.of(third), holding(6, 6));
    assertEquals(Optional.of(fourth), holding(6, 9));
    assertEquals(Optional.of(first), holding(1, 4));
    assertEquals(true, sight().history(incarnation, 0).rolledBack(5));
    assertEquals(false, sight().history(incarnation, 0).rolledBack(4));
    assertEquals(false, sight().history(incarnation, 0).rolledBack(6));
    table().expireSnapshots().expireSnapshotId(third).expireSnapshotId(columns).commit();
    assertEquals(Optional.of(fourth), holding(7, 9));
    assertEquals(Optional.empty(), holding(6, 9), "whether it was rolled back can't be told");
    assertEquals(false, sight().history(incarnation, 0).rolledBack(5), "nor this");
  }

  /** Its producers' last-seen numbers are the earlier log's, and so may be the number it says. */
  @Test
  void theSnapshotThatAdoptsBroughtNothing() {
    pass(0, 0, false);
    long old = pass(0, 4, true);
    pass(4, 6, true);
    assertEquals(Optional.of(old), firstHolding(3));
    incarnation = "f".repeat(32);
    long adopting = pass(6, 256, true);
    assertEquals(Optional.empty(), firstHolding(8));
    assertEquals(Optional.empty(), firstHolding(256));
    long next = pass(256, 260, true);
    assertEquals(Optional.empty(), firstHolding(8));
    assertEquals(Optional.of(next), firstHolding(257));
    assertEquals(Optional.of(next), holding(257, 260));
    assertEquals(Optional.empty(), holding(1, 260));
    assertEquals(true, table().snapshot(adopting) != null);
  }

  /** As adoptions commit now. */
  @Test
  void aSnapshotThatAdoptsAndDoesNotSayBroughtNothing() {
    long before = pass(0, 6, true);
    incarnation = "f".repeat(32);
    pass(6, 256, false);
    long next = pass(256, 260, true);
    assertEquals(Optional.empty(), firstHolding(8));
    table().expireSnapshots().expireSnapshotId(before).commit();
    assertEquals(Optional.empty(), firstHolding(8), "though nothing below is known");
    assertEquals(Optional.of(next), firstHolding(257));
  }
}
