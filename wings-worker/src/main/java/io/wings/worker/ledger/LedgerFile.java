package io.wings.worker.ledger;

import java.util.List;

/**
 * The object {@code passes/{id}}.
 *
 * @param worker who runs the pass, for people
 * @param opened by the worker's wall clock (ISO-8601), for people
 * @param incarnation of the WAL that is read
 * @param ranges what the pass brings into the table
 * @param location below which the pass's files are; their names begin with the ledger's id
 * @param closed no post of the pass may follow
 * @param baseSnapshot main's snapshot on the last base that a post was made on; 0: no post yet, -1:
 *     main had none
 * @param baseSequence the last sequence number of that base; -1: no post yet
 */
public record LedgerFile(
    String worker,
    String opened,
    String incarnation,
    List<Range> ranges,
    String location,
    boolean closed,
    long baseSnapshot,
    long baseSequence) {
  public LedgerFile {
    ranges = List.copyOf(ranges);
  }

  /** Segments {@code first} to {@code last} of a lane, both included. */
  public record Range(int lane, long first, long last) {}

  LedgerFile on(long snapshot, long sequence) {
    return new LedgerFile(
        worker, opened, incarnation, ranges, location, closed, snapshot, sequence);
  }
}
