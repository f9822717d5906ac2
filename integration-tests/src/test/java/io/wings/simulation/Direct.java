package io.wings.simulation;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** An executor on the caller's thread, for libraries that want one. */
final class Direct extends AbstractExecutorService {
  static final ExecutorService EXECUTOR = new Direct();

  private Direct() {}

  @Override
  public void execute(Runnable task) {
    task.run();
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
