package io.wings.catalog;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.wings.catalog.io.LocalFileIO;
import io.wings.catalog.io.LocationPolicy;
import io.wings.catalog.io.Reach;
import io.wings.catalog.own.OwnCatalog;
import io.wings.catalog.own.OwnCatalogSettings;
import io.wings.catalog.secret.SecretPointer;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.time.Time;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;

/**
 * A cluster in a directory and catalogs beside it, for tests: {@code cluster}, {@code secrets} and
 * a warehouse per catalog.
 */
public final class LocalTenants implements AutoCloseable {
  private final Path directory;
  private final ObjectStore cluster;
  private final Tenants tenants;
  private final TenantCatalogs catalogs;

  public LocalTenants(Path directory) {
    this(directory, Time.system());
  }

  public LocalTenants(Path directory, Time time) {
    this(directory, time, new Secrets(_ -> null));
  }

  LocalTenants(Path directory, Time time, Secrets secrets) {
    this(directory, time, secrets, Optional.empty());
  }

  /**
   * @param restAuthority of REST catalogs' certificates
   */
  LocalTenants(Path directory, Time time, Secrets secrets, Optional<Path> restAuthority) {
    this.directory = directory;
    this.cluster =
        ObjectStores.open(directory.resolve("cluster").toString(), StoreOptions.defaults());
    this.tenants = new Tenants(cluster, time, Ids.secure());
    this.catalogs =
        new TenantCatalogs(
            tenants,
            secrets,
            new CatalogSettings(
                cluster.address(),
                CatalogSettings.DEFAULT_SECRET_MAX_AGE,
                temporaryDirectory(),
                restAuthority,
                Reach.of(cluster.address(), Optional.empty(), false)),
            time,
            Ids.secure(),
            Threads.virtual());
  }

  /** Registers a catalog of type {@code wings} and opens it, without probing its directory. */
  public TenantCatalog wings(String name) {
    LocationPolicy any = LocationPolicy.any();
    OwnCatalogSettings settings =
        new OwnCatalogSettings(
            new CatalogName(name), warehouse(name), new LocalFileIO(), any, Map.of());
    String own = OwnCatalog.directory(directory.resolve("warehouses").resolve(name).toString());
    try (OwnCatalog catalog =
        OwnCatalog.open(
            settings,
            ObjectStores.open(own, StoreOptions.defaults()),
            _ -> {},
            Time.system(),
            Ids.secure())) {
      catalog.listNamespaces();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return open(name, Map.of("type", "wings", "warehouse", warehouse(name)));
  }

  /** Registers a catalog with these properties and opens it. */
  public TenantCatalog open(String name, Map<String, ?> properties) {
    register(name, properties);
    return catalogs.open(new CatalogName(name));
  }

  /** Registers a catalog with these properties, or replaces its secret. */
  public void register(String name, Map<String, ?> properties) {
    Path secret = directory.resolve("secrets").resolve(name + ".json");
    try {
      Files.createDirectories(secret.getParent());
      Path fresh = secret.resolveSibling(name + ".new");
      Files.write(fresh, new JsonMapper().writeValueAsBytes(properties));
      Files.move(fresh, secret, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    tenants.add(new CatalogName(name), new SecretPointer.InFile(secret));
  }

  /** Where the catalog's tables are. */
  public String warehouse(String name) {
    return "file://" + directory.resolve("warehouses").resolve(name);
  }

  /** Where uploads are staged. */
  public Path temporaryDirectory() {
    return directory.resolve("temporary");
  }

  public Path directory() {
    return directory;
  }

  public ObjectStore cluster() {
    return cluster;
  }

  public Tenants tenants() {
    return tenants;
  }

  public Catalogs catalogs() {
    return catalogs;
  }

  @Override
  public void close() {
    catalogs.close();
    cluster.close();
  }
}
