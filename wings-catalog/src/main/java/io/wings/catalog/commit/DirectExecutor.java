package io.wings.catalog.commit;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs Iceberg's parallel parts on the calling thread, so that one seed is one run. */
final class DirectExecutor extends AbstractExecutorService {
  static final DirectExecutor INSTANCE = new DirectExecutor();

  private DirectExecutor() {}

  @Override
  public void execute(Runnable command) {
    command.run();
  }

  @Override
  public void shutdown() {}

  @Override
  public List<Runnable> shutdownNow() {
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return true;
  }
}
