package io.wings.simulation;

import io.wings.catalog.CatalogType;
import io.wings.catalog.Catalogs;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.io.KeepingFileIO;
import io.wings.catalog.io.LocationPolicy;
import io.wings.catalog.own.OwnCatalog;
import io.wings.catalog.own.OwnCatalogSettings;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.StoreException;
import io.wings.simulation.kernel.SimulatedProcess;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/**
 * The one tenant's catalog: Wings' own over the simulated warehouse, or one whose replies get lost.
 */
final class SimulatedCatalogs implements Catalogs {
  static final CatalogName MAIN = new CatalogName("main");

  private final World world;
  private final SimulatedProcess process;
  private @Nullable OwnCatalog opened;

  SimulatedCatalogs(World world, SimulatedProcess process) {
    this.world = world;
    this.process = process;
  }

  @Override
  public TenantCatalog open(CatalogName name) {
    if (!name.equals(MAIN)) {
      throw WingsException.notFound("catalog-unknown", "no catalog " + name);
    }
    try {
      OwnCatalog own = own();
      return new Tenant(world.wiring().catalog(world, process, own), own);
    } catch (StoreException e) {
      throw WingsException.unavailable("catalog-unavailable", String.valueOf(e.getMessage()), e);
    }
  }

  private OwnCatalog own() {
    OwnCatalog known = opened;
    if (known == null) {
      known = openOwn(world, process, io(world, process));
      opened = known;
    }
    return known;
  }

  /** Files of the warehouse, as the process of a role or another engine is given them. */
  static FileIO io(World world, SimulatedProcess process) {
    FileIO files = new SimulatedFileIO(world.warehouse().of(process));
    return Foreign.is(process) ? files : new KeepingFileIO(files, LocationPolicy.any());
  }

  /** Wings' own catalog as {@code process} opens it. */
  static OwnCatalog openOwn(World world, SimulatedProcess process, FileIO io) {
    return OwnCatalog.open(
        new OwnCatalogSettings(
            MAIN, SimulatedFileIO.ROOT + "tables", io, LocationPolicy.any(), Map.of()),
        world.catalogObjects().of(process),
        _ -> {},
        process.time(),
        process.ids());
  }

  @Override
  public void close() {}

  private record Tenant(Catalog catalog, OwnCatalog own) implements TenantCatalog {
    @Override
    public CatalogName name() {
      return MAIN;
    }

    @Override
    public CatalogType type() {
      return CatalogType.WINGS;
    }

    @Override
    public SupportsNamespaces namespaces() {
      return own;
    }

    @Override
    public FileIO deletingIo(Table table) {
      return ((KeepingFileIO) table.io()).deleting();
    }

    @Override
    public void checkLocation(String location) {}

    @Override
    public void close() {}
  }
}
