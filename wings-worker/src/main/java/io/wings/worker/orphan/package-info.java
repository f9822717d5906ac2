/**
 * Removal of orphans: files of passes that never landed, of posts that failed, and of snapshots
 * that commits of Wings expired. Ledgers say which files that may be; nothing else is ever looked
 * at.
 *
 * <p>Invariants: a ledger is left alone for the grace time, then closed, left alone for the grace
 * time again (who still writes may end), and only then worked through; nothing is deleted before
 * main's last sequence number has passed the last base that the closed ledger notes, so that no
 * post of it can land any more; only files that no snapshot of freshly loaded metadata reaches are
 * deleted, nor one that commits of Wings expired less than both grace times ago (someone may still
 * read it), and none where {@code gc.enabled=false}; what an expired snapshot names where the
 * table's files are not is another's; what can't be read or loaded is unknown, and ends the run
 * before its first delete (a location that can't be listed keeps its own ledgers only); a file that
 * stays keeps what leads to it, one ledger that tells of it included, and nothing else; the ledger
 * goes last, and only if it is still what was worked through. A ledger that can't be done with
 * comes back after another grace time, so that none holds up the others.
 */
@NullMarked
package io.wings.worker.orphan;

import org.jspecify.annotations.NullMarked;
