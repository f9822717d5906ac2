package io.wings.simulation;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ForwardingStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;

/** A store that breaks one of the rules that production rests on, or a client of it that does. */
final class MutantStore extends ForwardingStore {
  /** Which. */
  enum Fault {
    /** Of segments. */
    UNKNOWN_IS_WRITTEN,
    IGNORES_IF_ABSENT,
    IGNORES_IF_VERSION
  }

  private final Fault fault;

  MutantStore(ObjectStore store, Fault fault) {
    super(store);
    this.fault = fault;
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    PutOutcome outcome = super.put(key, body, mutated(condition));
    return outcome instanceof PutOutcome.Unknown
            && fault == Fault.UNKNOWN_IS_WRITTEN
            && key.endsWith(".wal")
        ? new PutOutcome.Written("unknown")
        : outcome;
  }

  private PutCondition mutated(PutCondition condition) {
    return switch (condition) {
      case PutCondition.IfAbsent() when fault == Fault.IGNORES_IF_ABSENT -> PutCondition.any();
      case PutCondition.IfVersion(_) when fault == Fault.IGNORES_IF_VERSION -> PutCondition.any();
      default -> condition;
    };
  }
}
