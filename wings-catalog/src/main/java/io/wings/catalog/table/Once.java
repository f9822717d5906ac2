package io.wings.catalog.table;

import java.util.concurrent.atomic.AtomicBoolean;

/** Runs something the first time it is asked to, however many rounds a change takes. */
final class Once implements Runnable {
  private final Runnable what;
  private final AtomicBoolean done = new AtomicBoolean();

  Once(Runnable what) {
    this.what = what;
  }

  @Override
  public void run() {
    if (done.compareAndSet(false, true)) {
      what.run();
    }
  }
}
