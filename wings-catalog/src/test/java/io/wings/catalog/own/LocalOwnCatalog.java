package io.wings.catalog.own;

import io.wings.catalog.io.KeepingFileIO;
import io.wings.catalog.io.LocalFileIO;
import io.wings.catalog.io.LocationPolicy;
import io.wings.common.cluster.CatalogName;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.time.Time;
import java.nio.file.Path;
import java.util.Map;

/** Catalogs whose files are in a directory, for tests. */
final class LocalOwnCatalog {
  private LocalOwnCatalog() {}

  static OwnCatalog open(Path warehouse, Map<String, String> properties) {
    String directory = OwnCatalog.directory(warehouse.toString());
    return open(warehouse, properties, ObjectStores.open(directory, StoreOptions.defaults()));
  }

  /** With its objects in {@code store}, and only tables' files in the directory. */
  static OwnCatalog open(Path warehouse, ObjectStore store) {
    return open(warehouse, Map.of(), store);
  }

  private static OwnCatalog open(
      Path warehouse, Map<String, String> properties, ObjectStore store) {
    OwnCatalogSettings settings =
        new OwnCatalogSettings(
            new CatalogName("main"),
            "file://" + warehouse,
            new KeepingFileIO(new LocalFileIO(), LocationPolicy.any()),
            LocationPolicy.any(),
            properties);
    return OwnCatalog.open(settings, store, _ -> {}, Time.system(), Ids.secure());
  }
}
