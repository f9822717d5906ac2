package io.wings.catalog.own;

import io.wings.catalog.io.Locations;
import io.wings.catalog.io.MetadataSize;
import io.wings.catalog.own.Pointer.Verdict;
import io.wings.common.cluster.Printable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.io.OutputFile;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;

/**
 * One table under one name. Not safe for several threads, as Iceberg's own.
 *
 * <p>A commit is one conditional put of the pointer. Of its outcomes, <em>lost</em> and
 * <em>unknown</em> are settled by reading the pointer back: it remembers the puts that made it.
 */
final class OwnTableOperations implements TableOperations {
  /** Reads of the pointer after a put whose outcome is unknown, before it is called unknown. */
  private static final int MAX_SETTLING_READS = 4;

  /** Looks at a name whose table was dropped each time between two reads. */
  private static final int MAX_LOOKS = 5;

  private static final Duration SETTLING_PAUSE = Duration.ofMillis(250);
  private static final Pattern METADATA_FILE = Pattern.compile(".*/(\\d{1,9})-[^/]*");

  private static final List<String> LOCATION_PROPERTIES =
      List.of(
          TableProperties.WRITE_METADATA_LOCATION,
          TableProperties.WRITE_DATA_LOCATION,
          "write.folder-storage.path",
          "write.object-storage.path");

  /** The pointer as read, and its version in the store. */
  private record Base(Pointer pointer, String version) {}

  private final OwnCatalog catalog;
  private final TableIdentifier table;
  private final PointerCodec codec = new PointerCodec();
  private final Time time;
  private final Ids ids;

  private @Nullable Base base;
  private @Nullable TableMetadata metadata;
  private boolean stale = true;

  OwnTableOperations(OwnCatalog catalog, TableIdentifier table, Time time, Ids ids) {
    this.catalog = catalog;
    this.table = table;
    this.time = time;
    this.ids = ids;
  }

  @Override
  @NullUnmarked // Iceberg says "no such table yet" with null.
  public TableMetadata current() {
    return stale ? refresh() : metadata;
  }

  @Override
  @NullUnmarked
  public TableMetadata refresh() {
    for (int look = 1; look <= MAX_LOOKS; look++) {
      Optional<String> id = catalog.readNames().table(table);
      if (id.isEmpty()) {
        return gone();
      }
      Base found =
          readPointer(id.get())
              .orElseThrow(
                  () ->
                      WingsException.corrupt(
                          "pointer-missing",
                          "%s of catalog %s has a name and no pointer object %s"
                              .formatted(table, catalog.name(), OwnLayout.pointer(id.get()))));
      if (found.pointer().state() == Pointer.State.LIVE) {
        load(found);
        return metadata;
      }
      // Dropped between the two reads: the name is gone by now, or another table's.
    }
    throw WingsException.unavailable(
        "table-changing", "%s is dropped and created again all the time".formatted(table), null);
  }

  /** No such table: not yet, or not any more. */
  private @Nullable TableMetadata gone() {
    boolean wasThere = metadata != null;
    base = null;
    metadata = null;
    stale = wasThere;
    if (wasThere) {
      throw new NoSuchTableException("Table does not exist: %s", table);
    }
    return null;
  }

  private void load(Base found) {
    String location = found.pointer().metadataLocation();
    TableMetadata loaded = metadata;
    if (loaded == null || !location.equals(loaded.metadataFileLocation())) {
      TableMetadata fresh = TableMetadataParser.read(io(), location);
      if (loaded != null && !Objects.equals(loaded.uuid(), fresh.uuid())) {
        throw new IllegalStateException(
            "Table UUID does not match: current=%s != refreshed=%s"
                .formatted(loaded.uuid(), fresh.uuid()));
      }
      loaded = fresh;
    }
    base = found;
    metadata = loaded;
    stale = false;
  }

  private Optional<Base> readPointer(String tableId) {
    Optional<StoredObject> stored = catalog.store().get(OwnLayout.pointer(tableId));
    return stored.map(object -> new Base(codec.decode(object.bytes()).value(), object.version()));
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // Iceberg tells bases apart by identity.
  public void commit(@Nullable TableMetadata committedBase, TableMetadata changed) {
    TableMetadata now = current();
    if (committedBase != now) {
      if (committedBase != null) {
        throw new CommitFailedException("Cannot commit: stale table metadata of %s", table);
      }
      throw new AlreadyExistsException("Table already exists: %s", table);
    }
    if (committedBase == changed) {
      return;
    }
    checkLocations(committedBase, changed);
    if (changed.properties().containsKey(TableProperties.ENCRYPTION_TABLE_KEY)) {
      throw new UnsupportedOperationException(
          "table encryption is not supported: " + TableProperties.ENCRYPTION_TABLE_KEY);
    }
    if (base == null) {
      create(changed);
    } else {
      replace(base, changed);
    }
  }

  private void checkLocations(@Nullable TableMetadata from, TableMetadata changed) {
    catalog.policy().checkDirectory(changed.location());
    requireBelow(from, "location", from == null ? null : from.location(), changed.location());
    for (String property : LOCATION_PROPERTIES) {
      String location = changed.properties().get(property);
      if (location != null) {
        catalog.policy().checkDirectory(location);
        String before = from == null ? null : from.properties().get(property);
        requireBelow(from, property, before, location);
      }
    }
  }

  /** What a table is set to later doesn't lead it to where another's files may be. */
  private void requireBelow(
      @Nullable TableMetadata from, String what, @Nullable String before, String after) {
    if (from == null || after.equals(before) || Locations.isBelow(after, from.location())) {
      return;
    }
    throw WingsException.invalid(
        "location-refused",
        "%s of %s: expected a place below the table's location \"%s\", got \"%s\"; a table's files are moved to a table that is made there"
            .formatted(what, table, Printable.of(from.location()), Printable.of(after)));
  }

  /** The pointer first, then the name: a pointer that no name leads to is nothing. */
  private void create(TableMetadata created) {
    TableMetadata written = created.metadataFileLocation() != null ? created : write(created, 0);
    String tableId = ids.hex();
    Pointer pointer = Pointer.first(tableId, location(written));
    catalog.pointer(tableId).createIfAbsent(pointer);
    try {
      catalog.change(names -> names.addTable(table, tableId));
    } catch (StoreException e) {
      throw unknown(e.getMessage(), e);
    } catch (WingsException e) {
      throw e.kind() == ErrorKind.UNAVAILABLE ? unknown(e.getMessage(), e) : e;
    } finally {
      stale = true;
    }
  }

  /** One conditional put. */
  private void replace(Base from, TableMetadata changed) {
    TableMetadata written = write(changed, version(from) + 1);
    Pointer moved = from.pointer().moved(location(written));
    String putId = ids.hex();
    String key = OwnLayout.pointer(from.pointer().tableId());
    PutOutcome outcome =
        catalog
            .store()
            .put(key, codec.encode(moved, putId), PutCondition.ifVersion(from.version()));
    switch (outcome) {
      case PutOutcome.Written(String version) ->
          landed(new Base(moved.stamped(putId), version), written);
      case PutOutcome.Lost() -> settle(from, putId, written, "another commit came first", true);
      case PutOutcome.Missing() -> {
        stale = true;
        throw new CommitFailedException("Cannot commit: %s lost its pointer %s", table, key);
      }
      case PutOutcome.Unknown(String reason) -> settle(from, putId, written, reason, false);
    }
  }

  private void landed(Base committed, TableMetadata written) {
    base = committed;
    metadata = written;
    stale = false;
  }

  /**
   * Finds out what became of a put by reading the pointer.
   *
   * @param refused the store says that it didn't land; it is believed unless the pointer shows it
   */
  private void settle(
      Base from, String putId, TableMetadata written, String reason, boolean refused) {
    stale = true;
    try {
      for (int read = 1; read <= MAX_SETTLING_READS; read++) {
        Optional<Base> found = readPointer(from.pointer().tableId());
        Verdict verdict =
            found.map(now -> now.pointer().verdict(from.pointer(), putId)).orElse(Verdict.FAILED);
        switch (verdict) {
          case LANDED -> {
            if (found.orElseThrow().pointer().putId().equals(putId)) {
              landed(found.orElseThrow(), written);
            }
            return;
          }
          case FAILED ->
              throw new CommitFailedException("Cannot commit: %s was changed: %s", table, reason);
          case FORGOTTEN ->
              throw unknown(reason, new IllegalStateException("too many commits came after it"));
          case NOT_YET -> {
            if (refused) {
              throw new CommitFailedException("Cannot commit: %s: %s", table, reason);
            }
            if (read < MAX_SETTLING_READS) {
              time.sleep(SETTLING_PAUSE);
            }
          }
        }
      }
    } catch (StoreException e) {
      throw unknown(reason, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unknown(reason, e);
    }
    throw unknown(reason, new IllegalStateException("what it was based on is still there"));
  }

  private CommitStateUnknownException unknown(@Nullable String reason, Exception cause) {
    return new CommitStateUnknownException(
        "a commit to %s of catalog %s may have landed or may still: %s"
            .formatted(table, catalog.name(), reason),
        cause);
  }

  /** Writes a metadata file under a name of its own; gives it as a reader would load it. */
  private TableMetadata write(TableMetadata changed, int version) {
    MetadataSize.check(table, metadata, changed);
    String codecName =
        changed.property(
            TableProperties.METADATA_COMPRESSION, TableProperties.METADATA_COMPRESSION_DEFAULT);
    String file =
        String.format(
            Locale.ROOT,
            "%05d-%s%s",
            version,
            ids.uuid(),
            TableMetadataParser.getFileExtension(codecName));
    OutputFile output = io().newOutputFile(metadataFileLocation(changed, file));
    TableMetadataParser.overwrite(changed, output);
    return TableMetadataParser.fromJson(output.location(), TableMetadataParser.toJson(changed));
  }

  private static String location(TableMetadata written) {
    return Objects.requireNonNull(written.metadataFileLocation());
  }

  private static int version(Base from) {
    Matcher file = METADATA_FILE.matcher(from.pointer().metadataLocation());
    return file.matches() ? Integer.parseInt(file.group(1)) : -1;
  }

  private static String metadataFileLocation(TableMetadata of, String file) {
    String directory = of.properties().get(TableProperties.WRITE_METADATA_LOCATION);
    return directory == null
        ? of.location() + "/metadata/" + file
        : (directory.endsWith("/") ? directory : directory + "/") + file;
  }

  @Override
  public FileIO io() {
    return catalog.io();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    return metadataFileLocation(current(), fileName);
  }

  @Override
  public LocationProvider locationProvider() {
    return locationProvider(current());
  }

  private static LocationProvider locationProvider(TableMetadata of) {
    return LocationProviders.locationsFor(of.location(), of.properties());
  }

  @Override
  public long newSnapshotId() {
    return ids.uuid().getMostSignificantBits() & Long.MAX_VALUE;
  }

  @Override
  public TableOperations temp(TableMetadata uncommitted) {
    return new Uncommitted(uncommitted);
  }

  /** Locations and files as they would be after {@code metadata} is committed. */
  private final class Uncommitted implements TableOperations {
    private final TableMetadata uncommitted;

    Uncommitted(TableMetadata uncommitted) {
      this.uncommitted = uncommitted;
    }

    @Override
    public TableMetadata current() {
      return uncommitted;
    }

    @Override
    public TableMetadata refresh() {
      throw new UnsupportedOperationException("nothing is committed yet");
    }

    @Override
    public void commit(TableMetadata from, TableMetadata to) {
      throw new UnsupportedOperationException("nothing is committed yet");
    }

    @Override
    public FileIO io() {
      return OwnTableOperations.this.io();
    }

    @Override
    public String metadataFileLocation(String fileName) {
      return OwnTableOperations.metadataFileLocation(uncommitted, fileName);
    }

    @Override
    public LocationProvider locationProvider() {
      return OwnTableOperations.locationProvider(uncommitted);
    }

    @Override
    public long newSnapshotId() {
      return OwnTableOperations.this.newSnapshotId();
    }
  }
}
