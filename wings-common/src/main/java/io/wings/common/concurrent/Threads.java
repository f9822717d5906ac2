package io.wings.common.concurrent;

/** Where threads come from; passed through constructors so that a simulation can schedule them. */
@FunctionalInterface
public interface Threads {
  /** Starts {@code task} on a new thread. */
  Thread start(String name, Runnable task);

  /** Virtual threads of the JDK. */
  static Threads virtual() {
    return (name, task) -> Thread.ofVirtual().name(name).start(task);
  }
}
