package io.wings.worker.materialize;

/** Lends writers. */
@FunctionalInterface
public interface WriterPool {
  /** Work that needs a writer. */
  @FunctionalInterface
  interface Work {
    void with(RowWriter writer) throws InterruptedException;
  }

  /** Runs {@code work} with a writer of its own, waiting for one if need be. */
  void lend(Work work) throws InterruptedException;
}
