package io.wings.catalog.commit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.MetadataUpdate;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.UpdateRequirements;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;

/**
 * A catalog whose commits lose their way or their answer, as the real ones do: by pointer
 * comparison like a metastore, or by re-applying changes whose requirements hold like a REST
 * catalog.
 */
public final class FaultyCatalog extends InMemoryCatalog {
  /** What happens to one post. */
  public enum Fault {
    NONE,
    /** Doesn't arrive; the client can't know. */
    LOST,
    /** Refused outright by something on the way. */
    ERROR,
    /** Lands; the answer is lost. */
    LANDED_UNKNOWN,
    /** Lands; the HTTP client sends it again and gets a conflict with itself. */
    LANDED_CONFLICT,
    /** Lands; the answer is garbage. */
    LANDED_ERROR,
    /** Arrives when {@link #deliver} is called. */
    DELAYED
  }

  private record Post(TableIdentifier table, TableMetadata base, TableMetadata metadata) {}

  private final boolean rest;
  private final Deque<Fault> faults = new ArrayDeque<>();
  private final List<Post> delayed = new ArrayList<>();
  private final List<String> deletes = new ArrayList<>();
  private final List<String> metadataFiles = new ArrayList<>();
  private int posts;
  private int failingLoads;
  private int failingAfterPost;
  private boolean strips;
  private boolean forbids;
  private @Nullable Runnable onLanded;

  public FaultyCatalog(boolean rest) {
    this.rest = rest;
    initialize("test", Map.of());
    createNamespace(Namespace.of("db"));
  }

  /** What happens to the next posts; then nothing does. */
  public void next(Fault... upcoming) {
    faults.addAll(List.of(upcoming));
  }

  /** Someone else's commit, which has no faults of its own. */
  public void withoutFaults(Runnable commit) {
    List<Fault> held = List.copyOf(faults);
    faults.clear();
    commit.run();
    faults.addAll(held);
  }

  /** Nothing goes wrong any more, but for posts that are still on their way. */
  public void calm() {
    faults.clear();
    failingLoads = 0;
  }

  /** The next loads fail. */
  public void failLoads(int count) {
    failingLoads = count;
  }

  /** Whether loads are refused: the grant is gone. */
  public void forbid(boolean forbids) {
    this.forbids = forbids;
  }

  /** Loads fail from the next post on. */
  public void failLoadsAfterPost(int count) {
    failingAfterPost = count;
  }

  /** From now on properties under {@code wings.} don't survive a commit. */
  public void stripProperties() {
    strips = true;
  }

  /** Runs once, right after the next post that lands. */
  public void onceLanded(Runnable action) {
    onLanded = action;
  }

  /** Posts that arrived or should have. */
  public int posts() {
    return posts;
  }

  /** Files whose deletion was asked for. */
  public List<String> deletes() {
    return deletes;
  }

  /** Where manifests and their lists were to be written. */
  public List<String> metadataFiles() {
    return metadataFiles;
  }

  /** Lets the delayed posts arrive; returns how many landed. */
  public int deliver() {
    int landed = 0;
    List<Post> due = List.copyOf(delayed);
    delayed.clear();
    for (Post post : due) {
      try {
        land(post);
        landed++;
      } catch (CommitFailedException _) {
        // Refused, as it must be: nobody listens.
      }
    }
    return landed;
  }

  @Override
  protected TableOperations newTableOps(TableIdentifier table) {
    if (failingLoads > 0) {
      failingLoads--;
      throw new IllegalStateException("the catalog is away");
    }
    if (forbids) {
      throw new ForbiddenException("no grant");
    }
    return new Operations(table, super.newTableOps(table));
  }

  private void land(Post post) {
    TableOperations fresh = super.newTableOps(post.table());
    TableMetadata current = fresh.refresh();
    boolean samePointer = current.metadataFileLocation().equals(post.base().metadataFileLocation());
    if (!rest && !samePointer) {
      throw new CommitFailedException("the pointer has moved");
    }
    UpdateRequirements.forUpdateTable(post.base(), post.metadata().changes())
        .forEach(requirement -> requirement.validate(current));
    TableMetadata.Builder builder = TableMetadata.buildFrom(current);
    for (MetadataUpdate update : post.metadata().changes()) {
      if (!(strips && update instanceof MetadataUpdate.SetProperties)) {
        update.applyTo(builder);
      }
    }
    fresh.commit(current, builder.build());
    Runnable action = onLanded;
    onLanded = null;
    if (action != null) {
      action.run();
    }
  }

  private final class Operations implements TableOperations {
    private final TableIdentifier table;
    private final TableOperations inner;

    Operations(TableIdentifier table, TableOperations inner) {
      this.table = table;
      this.inner = inner;
    }

    @Override
    public TableMetadata current() {
      return inner.current();
    }

    @Override
    public TableMetadata refresh() {
      return inner.refresh();
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata) {
      if (base == null) {
        inner.commit(null, metadata);
        return;
      }
      posts++;
      failingLoads = Math.max(failingLoads, failingAfterPost);
      failingAfterPost = 0;
      Post post = new Post(table, base, metadata);
      Fault fault = faults.isEmpty() ? Fault.NONE : faults.poll();
      switch (fault) {
        case NONE -> {}
        case LOST -> throw unknown();
        case ERROR -> throw new IllegalStateException("502");
        case DELAYED -> {
          delayed.add(post);
          throw unknown();
        }
        case LANDED_UNKNOWN, LANDED_CONFLICT, LANDED_ERROR -> {}
      }
      land(post);
      switch (fault) {
        case LANDED_UNKNOWN -> throw unknown();
        case LANDED_CONFLICT -> throw new CommitFailedException("conflict with itself");
        case LANDED_ERROR -> throw new IllegalStateException("garbage");
        case NONE, LOST, ERROR, DELAYED -> inner.refresh();
      }
    }

    private CommitStateUnknownException unknown() {
      return new CommitStateUnknownException(new IllegalStateException("timed out"));
    }

    @Override
    public FileIO io() {
      return new CountingIo(inner.io(), deletes);
    }

    @Override
    public EncryptionManager encryption() {
      return inner.encryption();
    }

    @Override
    public String metadataFileLocation(String fileName) {
      String location = inner.metadataFileLocation(fileName);
      metadataFiles.add(location);
      return location;
    }

    @Override
    public LocationProvider locationProvider() {
      return inner.locationProvider();
    }
  }
}
