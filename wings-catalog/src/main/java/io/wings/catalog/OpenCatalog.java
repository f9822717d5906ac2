package io.wings.catalog;

import io.wings.catalog.io.KeepingFileIO;
import io.wings.catalog.io.LocationPolicy;
import io.wings.common.cluster.CatalogName;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.io.FileIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An open catalog and its holders; closed when it is retired and the last of them lets go. */
final class OpenCatalog {
  private static final Logger LOG = LoggerFactory.getLogger(OpenCatalog.class);

  private final CatalogName name;
  private final CatalogType type;
  private final Catalog catalog;
  private final SupportsNamespaces namespaces;
  private final LocationPolicy policy;
  private final List<AutoCloseable> resources;
  private final ReentrantLock lock = new ReentrantLock();
  private int holders;
  private boolean retired;
  private boolean closed;

  /**
   * @param resources closed in this order
   */
  OpenCatalog(
      CatalogName name,
      CatalogType type,
      Catalog catalog,
      SupportsNamespaces namespaces,
      LocationPolicy policy,
      List<AutoCloseable> resources) {
    this.name = name;
    this.type = type;
    this.catalog = catalog;
    this.namespaces = namespaces;
    this.policy = policy;
    this.resources = List.copyOf(resources);
  }

  TenantCatalog hold() {
    lock.lock();
    try {
      holders++;
      return new Hold();
    } finally {
      lock.unlock();
    }
  }

  private void letGo() {
    lock.lock();
    try {
      holders--;
    } finally {
      lock.unlock();
    }
    closeIfDone();
  }

  void retire() {
    lock.lock();
    try {
      retired = true;
    } finally {
      lock.unlock();
    }
    closeIfDone();
  }

  private void closeIfDone() {
    lock.lock();
    try {
      if (!retired || holders > 0 || closed) {
        return;
      }
      closed = true;
    } finally {
      lock.unlock();
    }
    for (AutoCloseable resource : resources) {
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("catalog {}: closing failed with {}", name, e.getClass().getName());
      }
    }
  }

  private final class Hold implements TenantCatalog {
    private final AtomicBoolean closed = new AtomicBoolean();

    @Override
    public CatalogName name() {
      return name;
    }

    @Override
    public CatalogType type() {
      return type;
    }

    @Override
    public Catalog catalog() {
      return catalog;
    }

    @Override
    public SupportsNamespaces namespaces() {
      return namespaces;
    }

    @Override
    public FileIO deletingIo(Table table) {
      if (table.io() instanceof KeepingFileIO keeping) {
        return keeping.deleting();
      }
      throw new IllegalArgumentException(table.name() + " was not loaded from catalog " + name);
    }

    @Override
    public void checkLocation(String location) {
      policy.checkDirectory(location);
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        letGo();
      }
    }
  }
}
