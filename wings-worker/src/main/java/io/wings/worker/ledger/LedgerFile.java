package io.wings.worker.ledger;

import io.wings.catalog.commit.BaseListener;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The object {@code passes/{id}}.
 *
 * @param worker who runs the pass, for people
 * @param opened by the worker's wall clock (ISO-8601), for people
 * @param incarnation of the WAL that is read
 * @param ranges what the pass brings into the table
 * @param location below which the pass's data files are; their names begin with the ledger's id
 * @param closed no post of the pass may follow
 * @param baseSnapshot main's snapshot on the last base that a post was made on; 0: no post yet, -1:
 *     main had none
 * @param baseSequence the last sequence number of that base; -1: no post yet
 * @param manifestLists of the snapshots that were posted or about to be, whatever became of them
 * @param expired snapshots that the posts removed from the table's metadata
 * @param manifests that the pass wrote and no list of its names; null as of older versions
 */
public record LedgerFile(
    String worker,
    String opened,
    String incarnation,
    List<Range> ranges,
    String location,
    boolean closed,
    long baseSnapshot,
    long baseSequence,
    List<String> manifestLists,
    List<Expired> expired,
    @Nullable List<String> manifests) {
  public LedgerFile {
    ranges = List.copyOf(ranges);
    manifestLists = List.copyOf(manifestLists);
    expired = List.copyOf(expired);
    manifests = manifests == null ? List.of() : List.copyOf(manifests);
  }

  /** Segments {@code first} to {@code last} of a lane, both included. */
  public record Range(int lane, long first, long last) {}

  /** A snapshot that is gone once a post has landed, and the list that tells its files. */
  public record Expired(long snapshot, String manifestList) {}

  /** A post is about to be made. Applied twice, it changes nothing more. */
  LedgerFile on(BaseListener.Post post) {
    LinkedHashSet<String> lists = new LinkedHashSet<>(manifestLists);
    lists.add(post.manifestList());
    LinkedHashSet<Expired> gone = new LinkedHashSet<>(expired);
    post.expired().forEach(each -> gone.add(new Expired(each.snapshotId(), each.manifestList())));
    return new LedgerFile(
        worker,
        opened,
        incarnation,
        ranges,
        location,
        closed,
        post.snapshotId(),
        post.sequenceNumber(),
        List.copyOf(lists),
        List.copyOf(gone),
        with(post.unneeded()));
  }

  private List<String> with(List<String> more) {
    LinkedHashSet<String> all = new LinkedHashSet<>(unneeded());
    all.addAll(more);
    return List.copyOf(all);
  }

  /** The same as {@link #manifests}, never null. */
  public List<String> unneeded() {
    return manifests == null ? List.of() : manifests;
  }

  /** A post was prepared, and isn't made. */
  LedgerFile staged(BaseListener.Post post) {
    LinkedHashSet<String> lists = new LinkedHashSet<>(manifestLists);
    lists.add(post.manifestList());
    return with(closed, List.copyOf(lists), with(post.unneeded()));
  }

  LedgerFile closing() {
    return with(true, manifestLists, unneeded());
  }

  private LedgerFile with(boolean closed, List<String> manifestLists, List<String> manifests) {
    return new LedgerFile(
        worker,
        opened,
        incarnation,
        ranges,
        location,
        closed,
        baseSnapshot,
        baseSequence,
        manifestLists,
        expired,
        manifests);
  }
}
