package io.wings.catalog.rest;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.wings.catalog.LocalTenants;
import io.wings.catalog.io.LocalFileIO;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.id.Ids;
import io.wings.common.metrics.Readiness;
import io.wings.common.time.Time;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.rest.RESTCatalog;

/** A cluster in a directory with a server of its catalogs, for tests. */
public final class LocalRestServer implements AutoCloseable {
  static final HostPort LOOPBACK = new HostPort("127.0.0.1", 0);

  private final LocalTenants tenants;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Readiness readiness = new Readiness();
  private final RestCatalogServer server;

  public LocalRestServer(Path directory) {
    this(directory, RestCatalogSettings.open(LOOPBACK));
  }

  public LocalRestServer(Path directory, RestCatalogSettings settings) {
    this.tenants = new LocalTenants(directory);
    this.server =
        RestCatalogServer.start(
            settings,
            tenants.tenants(),
            tenants.catalogs(),
            Time.system(),
            Ids.secure(),
            Threads.virtual(),
            meters,
            readiness);
  }

  public Readiness readiness() {
    return readiness;
  }

  public LocalTenants tenants() {
    return tenants;
  }

  public SimpleMeterRegistry meters() {
    return meters;
  }

  public String uri() {
    return "http://127.0.0.1:" + server.port();
  }

  /** Iceberg's own client, with files that it really deletes. */
  public RESTCatalog client(String name, Map<String, String> properties) {
    Map<String, String> all = new HashMap<>(properties);
    all.put(CatalogProperties.URI, uri());
    all.putIfAbsent(CatalogProperties.WAREHOUSE_LOCATION, name);
    all.put(CatalogProperties.FILE_IO_IMPL, LocalFileIO.class.getName());
    RESTCatalog catalog = new RESTCatalog();
    catalog.initialize(name, all);
    return catalog;
  }

  @Override
  public void close() {
    server.close();
    tenants.close();
  }
}
