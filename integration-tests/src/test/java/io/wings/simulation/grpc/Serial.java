package io.wings.simulation.grpc;

import io.wings.simulation.kernel.SimulatedProcess;
import java.util.ArrayDeque;
import java.util.Deque;

/** Runs what it is given in order, one at a time, on threads of one process. */
final class Serial {
  private final SimulatedProcess process;
  private final String name;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private boolean running;

  Serial(SimulatedProcess process, String name) {
    this.process = process;
    this.name = name;
  }

  /** From the carrier or any simulated thread; doesn't wait. */
  void execute(Runnable action) {
    if (process.dead()) {
      return;
    }
    waiting.add(action);
    if (!running) {
      running = true;
      Thread _ = process.start(name, this::run);
    }
  }

  private void run() {
    for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
      next.run();
    }
    running = false;
  }
}
