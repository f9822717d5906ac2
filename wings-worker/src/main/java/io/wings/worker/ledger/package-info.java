/**
 * Ledgers: what a pass may have written outside the cluster. {@code passes/{id}} is written before
 * the pass's first upload, and its id begins the name of every file that the pass writes; before
 * each post of a commit the base is noted in it; it goes when the commit is known to have landed at
 * the first attempt, leaves no manifest and took no snapshot's place.
 *
 * <p>Invariants: no file is uploaded without a ledger; no post follows a closed ledger; so files of
 * a ledger that was closed, once main has passed the last base noted in it, are reachable from main
 * or never will be.
 */
@NullMarked
package io.wings.worker.ledger;

import org.jspecify.annotations.NullMarked;
