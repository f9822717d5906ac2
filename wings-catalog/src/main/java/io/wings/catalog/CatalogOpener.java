package io.wings.catalog;

import io.wings.catalog.foreign.ForeignCatalog;
import io.wings.catalog.foreign.JdbcCatalogs;
import io.wings.catalog.foreign.RestCatalogs;
import io.wings.catalog.io.KeepingFileIO;
import io.wings.catalog.io.Locations;
import io.wings.catalog.io.S3Options;
import io.wings.catalog.io.TenantFiles;
import io.wings.catalog.io.TenantLocations;
import io.wings.catalog.own.OwnCatalog;
import io.wings.catalog.own.OwnCatalogSettings;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Printable;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.objectstore.StoreProbe;
import io.wings.common.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.exceptions.RESTException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens a tenant's catalog with its secret, or says why not without showing it. */
final class CatalogOpener {
  private static final Logger LOG = LoggerFactory.getLogger(CatalogOpener.class);

  private final CatalogSettings settings;
  private final Time time;
  private final Ids ids;
  private final Threads threads;

  CatalogOpener(CatalogSettings settings, Time time, Ids ids, Threads threads) {
    this.settings = settings;
    this.time = time;
    this.ids = ids;
    this.threads = threads;
  }

  /**
   * @throws WingsException {@code catalog-refused}, {@code catalog-unavailable}, and those of
   *     locations and credentials; never with a cause, whose message might hold a secret
   */
  OpenCatalog open(CatalogName name, Secret secret) {
    try {
      TenantProperties properties = TenantProperties.of(secret);
      TenantFiles files = files(name, properties);
      try {
        return switch (properties.type()) {
          case WINGS -> own(name, properties, files);
          case REST -> rest(name, properties, files, secret);
          case JDBC -> jdbc(name, properties, files);
        };
      } catch (RuntimeException e) {
        files.close();
        throw e;
      }
    } catch (WingsException e) {
      String detail = String.valueOf(e.getMessage()).substring(e.code().length() + 2);
      throw new WingsException(
          e.kind(), e.code(), "catalog " + name + ": " + secret.redact(detail));
    } catch (RuntimeException e) {
      String kind = e.getClass().getSimpleName();
      String said = secret.redact(e.getMessage());
      LOG.warn("catalog {} can't be opened: {}: {}", name, kind, Printable.of(said));
      throw new WingsException(
          ErrorKind.UNAVAILABLE,
          "catalog-unavailable",
          "catalog %s can't be opened: %s: %s"
              .formatted(
                  name,
                  kind,
                  e instanceof RESTException ? said : "the log of this process says why"));
    }
  }

  private TenantFiles files(CatalogName name, TenantProperties properties) {
    List<String> refused = new ArrayList<>();
    if (settings.clusterAddress().matches("(s3|file)://.*")) {
      refused.add(settings.clusterAddress());
    }
    if (properties.type() == CatalogType.WINGS) {
      refused.add(OwnCatalog.directory(properties.warehouse().orElseThrow()));
    }
    TenantLocations policy = new TenantLocations(localRoot(properties), refused);
    return new TenantFiles(
        policy, settings.temporaryDirectory().resolve(name.value()), settings.reach());
  }

  /** Local files are for a cluster that is itself local, and below the tenant's own root. */
  private Optional<Path> localRoot(TenantProperties properties) {
    Optional<String> root =
        properties.type() == CatalogType.REST
            ? properties.get(TenantProperties.LOCAL_ROOT)
            : properties.warehouse().filter(Locations::isLocal);
    if (root.isPresent() && settings.clusterAddress().startsWith("s3:")) {
      throw WingsException.invalid(
          "location-refused", "local files are only for a cluster in a local directory");
    }
    return root.map(Locations::localPath);
  }

  private OpenCatalog own(CatalogName name, TenantProperties properties, TenantFiles files) {
    String warehouse = properties.warehouse().orElseThrow();
    if (Locations.isLocal(warehouse)) {
      warehouse = Locations.ofLocalPath(Locations.localPath(warehouse));
    }
    files.policy().checkFile(warehouse + "/t");
    S3Options options = S3Options.of(properties.all());
    ObjectStore store = store(OwnCatalog.directory(warehouse), options);
    KeepingFileIO io = files.open(options);
    OwnCatalogSettings own =
        new OwnCatalogSettings(name, warehouse, io, files.policy(), properties.tableProperties());
    try {
      OwnCatalog catalog =
          OwnCatalog.open(
              own, store, fresh -> StoreProbe.check(fresh, time, ids, threads), time, ids);
      return new OpenCatalog(
          name, properties.type(), catalog, catalog, files.policy(), List.of(catalog, io, files));
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private ObjectStore store(String directory, S3Options options) {
    if (Locations.isLocal(directory)) {
      return ObjectStores.open(
          Locations.localPath(directory).toString(), StoreOptions.defaults(), time, ids);
    }
    S3Options.Key key = options.requiredKey();
    options
        .endpoint()
        .ifPresent(endpoint -> settings.reach().checkHost(S3Options.ENDPOINT, endpoint.getHost()));
    StoreOptions reach =
        new StoreOptions(
            options.endpoint(),
            Optional.of(options.requiredRegion()),
            options.pathStyle(),
            Optional.of(
                new StoreOptions.Credentials(
                    key.accessKeyId(), key.secretAccessKey(), key.sessionToken())),
            false,
            Optional.empty());
    String bare = directory.substring(directory.indexOf("://"));
    return ObjectStores.open("s3" + bare, reach, time, ids);
  }

  private OpenCatalog rest(
      CatalogName name, TenantProperties properties, TenantFiles files, Secret secret) {
    ForeignCatalog catalog =
        RestCatalogs.open(
            name.value(),
            properties.all(),
            settings.reach(),
            settings.restAuthority(),
            config -> files.open(S3Options.of(config)),
            secret::redact,
            time,
            threads);
    return foreign(name, properties, files, catalog);
  }

  private OpenCatalog jdbc(CatalogName name, TenantProperties properties, TenantFiles files) {
    files.policy().checkFile(properties.warehouse().orElseThrow() + "/t");
    S3Options options = S3Options.of(properties.all());
    if (!Locations.isLocal(properties.warehouse().orElseThrow())) {
      options.requiredKey();
    }
    properties
        .get("uri")
        .flatMap(JdbcCatalogs::localFile)
        .ifPresent(file -> checkDatabase(files, file));
    ForeignCatalog catalog =
        JdbcCatalogs.open(
            properties.get(TenantProperties.JDBC_NAME).orElse(name.value()),
            properties.all(),
            !settings.clusterAddress().startsWith("s3:"),
            settings.reach(),
            _ -> files.open(options));
    return foreign(name, properties, files, catalog);
  }

  /**
   * A database in a local file is one of the tenant's files, and below its warehouse as they are.
   */
  private static void checkDatabase(TenantFiles files, Path file) {
    files.policy().checkFile(Locations.ofLocalPath(file));
    try {
      Files.createDirectories(file.getParent());
    } catch (IOException e) {
      throw WingsException.unavailable(
          "catalog-unavailable", "the directory of the database can't be made", null);
    }
  }

  private static OpenCatalog foreign(
      CatalogName name, TenantProperties properties, TenantFiles files, ForeignCatalog catalog) {
    return new OpenCatalog(
        name,
        properties.type(),
        catalog.catalog(),
        catalog.namespaces(),
        files.policy(),
        List.of(catalog.resource(), files));
  }
}
