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
 * @param location below which the pass's data files are; the names of all files of the pass begin
 *     with the ledger's id
 * @param metadataLocation where its manifests and manifest lists are; null as of older versions
 * @param closed no post of the pass may follow
 * @param refused posts that the pass would have made since; it has written more by then; null as of
 *     older versions: none
 * @param baseSnapshot main's snapshot on the last base that a post was made on; 0: no post yet, -1:
 *     main had none
 * @param baseSequence the last sequence number of that base; -1: no post yet
 * @param expired snapshots that the posts removed from the table's metadata
 */
public record LedgerFile(
    String worker,
    String opened,
    String incarnation,
    List<Range> ranges,
    String location,
    @Nullable String metadataLocation,
    boolean closed,
    @Nullable Integer refused,
    long baseSnapshot,
    long baseSequence,
    List<Expired> expired) {
  public LedgerFile {
    ranges = List.copyOf(ranges);
    expired = List.copyOf(expired);
  }

  /** Segments {@code first} to {@code last} of a lane, both included. */
  public record Range(int lane, long first, long last) {}

  /** A snapshot that is gone once a post has landed, and the list that tells its files. */
  public record Expired(long snapshot, String manifestList) {}

  /** Below these are all files of the pass. */
  public List<String> locations() {
    return metadataLocation == null ? List.of(location) : List.of(location, metadataLocation);
  }

  /** A post is about to be made. Applied twice, it changes nothing more. */
  LedgerFile on(BaseListener.Post post) {
    LinkedHashSet<Expired> gone = new LinkedHashSet<>(expired);
    post.expired().forEach(each -> gone.add(new Expired(each.snapshotId(), each.manifestList())));
    // A look that shows an older base than one before takes nothing back: that post may still land.
    boolean older = post.sequenceNumber() < baseSequence;
    return with(
        false,
        refused,
        older ? baseSnapshot : post.snapshotId(),
        older ? baseSequence : post.sequenceNumber(),
        List.copyOf(gone));
  }

  /** A post isn't made. Nothing is known of its base then. */
  LedgerFile refusing() {
    return with(true, refused == null ? 1 : refused + 1, baseSnapshot, baseSequence, expired);
  }

  LedgerFile closing() {
    return with(true, refused, baseSnapshot, baseSequence, expired);
  }

  private LedgerFile with(
      boolean closed,
      @Nullable Integer refused,
      long baseSnapshot,
      long baseSequence,
      List<Expired> expired) {
    return new LedgerFile(
        worker,
        opened,
        incarnation,
        ranges,
        location,
        metadataLocation,
        closed,
        refused,
        baseSnapshot,
        baseSequence,
        expired);
  }
}
