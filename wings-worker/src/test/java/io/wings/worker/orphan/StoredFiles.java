package io.wings.worker.orphan;

import io.wings.catalog.CatalogType;
import io.wings.catalog.TenantCatalog;
import io.wings.common.cluster.CatalogName;
import io.wings.worker.materialize.Workbench;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SupportsPrefixOperations;

/** The workbench's catalog with a FileIO that lists and deletes what its writer wrote. */
final class StoredFiles implements TenantCatalog {
  /** In no location. */
  private static final String NONE = "\0";

  /** Several at once are deleted. */
  final List<String> deleted = new CopyOnWriteArrayList<>();

  /** Deletions that were asked for. */
  final AtomicInteger asked = new AtomicInteger();

  private final Workbench bench;
  private Predicate<String> failing = _ -> false;
  private String unlisted = NONE;
  private Runnable beforeDelete = () -> {};

  StoredFiles(Workbench bench) {
    this.bench = bench;
  }

  void failDeletes(boolean fail) {
    failing = _ -> fail;
  }

  /** Of each location that has this in it. */
  void failDeletesOf(String part) {
    failing = location -> location.contains(part);
  }

  /** Of each location but that which has this in it. */
  void failDeletesBut(String part) {
    failing = location -> !location.contains(part);
  }

  /** Of each prefix that has this in it. */
  void failListingsOf(String part) {
    unlisted = part;
  }

  /** Before each, on its thread. */
  void beforeDelete(Runnable hook) {
    beforeDelete = hook;
  }

  /** Data files that are there. */
  Set<String> data() {
    Set<String> there = new TreeSet<>(bench.writer.paths());
    there.removeAll(deleted);
    return there;
  }

  /** Manifests and lists that are there. */
  Set<String> metadata() {
    Set<String> there = new TreeSet<>();
    bench.catalog.metadataFiles().forEach(location -> there.add(path(location)));
    there.removeAll(deleted);
    return there;
  }

  private static String path(String location) {
    return location.replaceFirst("^/*", "/");
  }

  @Override
  public CatalogName name() {
    return bench.tenant.name();
  }

  @Override
  public CatalogType type() {
    return bench.tenant.type();
  }

  @Override
  public Catalog catalog() {
    return bench.tenant.catalog();
  }

  @Override
  public SupportsNamespaces namespaces() {
    return bench.tenant.namespaces();
  }

  @Override
  public FileIO deletingIo(Table table) {
    return new Listing(table.io());
  }

  @Override
  public void checkLocation(String location) {}

  @Override
  public void close() {}

  private final class Listing implements SupportsPrefixOperations {
    private static final long serialVersionUID = 1L;
    private final transient FileIO inner;

    Listing(FileIO inner) {
      this.inner = inner;
    }

    @Override
    public Iterable<FileInfo> listPrefix(String prefix) {
      if (prefix.contains(unlisted)) {
        throw new IllegalStateException("location-refused: " + prefix);
      }
      return Stream.concat(data().stream(), metadata().stream())
          .filter(path -> path.startsWith(prefix))
          // Another spelling of the same place, as some stores give.
          .map(path -> new FileInfo("/" + path, 10, 0))
          .toList();
    }

    @Override
    public void deletePrefix(String prefix) {
      throw new UnsupportedOperationException("nobody deletes by prefix");
    }

    @Override
    public InputFile newInputFile(String location) {
      return inner.newInputFile(location);
    }

    @Override
    public OutputFile newOutputFile(String location) {
      return inner.newOutputFile(location);
    }

    @Override
    public void deleteFile(String location) {
      int _ = asked.incrementAndGet();
      beforeDelete.run();
      if (failing.test(location)) {
        throw new IllegalStateException("the store is away");
      }
      String path = path(location);
      if (!bench.writer.paths().contains(path)) {
        // Manifests and lists are files; data files are only remembered.
        inner.deleteFile(path);
      }
      deleted.add(path);
    }
  }
}
