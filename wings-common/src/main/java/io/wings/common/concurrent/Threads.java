package io.wings.common.concurrent;

import java.util.concurrent.Executor;

/** Where threads come from; passed through constructors so that a simulation can schedule them. */
@FunctionalInterface
public interface Threads {
  /** Starts {@code task} on a new thread. */
  Thread start(String name, Runnable task);

  /** An executor for libraries that want one: a new thread, named {@code name}, for each task. */
  default Executor executor(String name) {
    return task -> {
      Thread _ = start(name, task);
    };
  }

  /** Virtual threads of the JDK. */
  static Threads virtual() {
    return (name, task) -> Thread.ofVirtual().name(name).start(task);
  }
}
