package io.wings.worker.orphan;

import io.wings.common.concurrent.Concurrently;
import io.wings.common.error.WingsException;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Gatherers;
import org.apache.iceberg.exceptions.NotFoundException;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the files of a run and knows whose are left. One that won't go keeps what leads to it
 * (the later stages of its ledger, and the ledger), and nothing of others.
 */
final class Deletions {
  private final Concurrently atOnce;
  private final Consumer<String> deletion;
  private final int maxInARow;

  /** Ledgers with a file that couldn't be deleted. */
  private final Set<String> failing = new LinkedHashSet<>();

  /** Ledgers with a file that wasn't tried. */
  private final Set<String> untried = new HashSet<>();

  private int deleted;
  private int failed;
  private int inARow;
  private @Nullable WingsException first;

  /**
   * @param maxInARow failures after which no more is tried
   */
  Deletions(Concurrently atOnce, Consumer<String> deletion, int maxInARow) {
    this.atOnce = atOnce;
    this.deletion = deletion;
    this.maxInARow = maxInARow;
  }

  /** The next stage: files that may go once those before are gone. */
  void of(List<Told> stage) throws InterruptedException {
    List<Told> free = stage.stream().filter(told -> leavesNothing(told.ledger())).toList();
    for (List<Told> batch :
        free.stream().gather(Gatherers.windowFixed(OrphanLimits.BATCH)).toList()) {
      if (inARow >= maxInARow) {
        batch.forEach(told -> untried.add(told.ledger()));
        continue;
      }
      List<Optional<RuntimeException>> outcomes = atOnce.map(batch, this::tried);
      OrphanRemoval.requireGoingOn();
      for (int i = 0; i < batch.size(); i++) {
        count(batch.get(i), outcomes.get(i));
      }
    }
  }

  private Optional<RuntimeException> tried(Told told) {
    try {
      deletion.accept(told.location());
      return Optional.empty();
    } catch (NotFoundException _) {
      // Gone already, which some FileIOs tell and others don't.
      return Optional.empty();
    } catch (RuntimeException e) {
      // Of any kind: what a catalog's FileIO throws is its storage's.
      return Optional.of(e);
    }
  }

  private void count(Told told, Optional<RuntimeException> outcome) {
    if (outcome.isEmpty()) {
      deleted++;
      inARow = 0;
      return;
    }
    RuntimeException e = outcome.get();
    boolean _ = failing.add(told.ledger());
    failed++;
    inARow++;
    if (first == null) {
      first =
          WingsException.unavailable(
              "orphans-unavailable", told.location() + ": " + e.getMessage(), e);
    }
  }

  /** Whether all is gone that is known by this ledger. */
  boolean leavesNothing(String ledger) {
    return !failing.contains(ledger) && !untried.contains(ledger);
  }

  /** Ledgers with a file that couldn't be deleted, in the order of these. */
  Set<String> failing() {
    return Collections.unmodifiableSet(failing);
  }

  /** Files that are gone. */
  int deleted() {
    return deleted;
  }

  /** Files that couldn't be deleted. */
  int failed() {
    return failed;
  }

  /** What the first of them failed with. */
  Optional<WingsException> first() {
    return Optional.ofNullable(first);
  }
}
