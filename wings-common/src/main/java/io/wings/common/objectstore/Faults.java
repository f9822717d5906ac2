package io.wings.common.objectstore;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Decides what goes wrong. Called from any thread. */
public interface Faults {
  Fault onPut(String key, PutCondition condition);

  /** Of get, ranged get, head, the start of a listing, and delete; no space is none of theirs. */
  default Fault onOther(String key) {
    return new Fault.None();
  }

  /** Nothing goes wrong. */
  static Faults none() {
    return (_, _) -> new Fault.None();
  }

  /** These, one for each put, and then none. */
  static Faults script(Fault... faults) {
    ConcurrentLinkedQueue<Fault> queue = new ConcurrentLinkedQueue<>(List.of(faults));
    return (_, _) -> {
      Fault next = queue.poll();
      return next == null ? new Fault.None() : next;
    };
  }
}
