package io.wings.simulation;

import io.wings.common.cluster.Keys;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ForwardingStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoredObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store that breaks one of the rules that production rests on, or a client of it that does. */
final class MutantStore extends ForwardingStore {
  /** Which. */
  enum Fault {
    UNKNOWN_IS_WRITTEN,
    IGNORES_IF_ABSENT,
    IGNORES_IF_VERSION,
    STALE_QUEUE
  }

  private final Fault fault;
  private @Nullable StoredObject lastQueue;

  MutantStore(ObjectStore store, Fault fault) {
    super(store);
    this.fault = fault;
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    PutOutcome outcome = super.put(key, body, mutated(condition));
    if (outcome instanceof PutOutcome.Written && key.equals(Keys.QUEUE)) {
      lastQueue = null;
    }
    return outcome instanceof PutOutcome.Unknown && fault == Fault.UNKNOWN_IS_WRITTEN
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

  /** What was read of the queue once is what it is, until it is written: nobody looks again. */
  @Override
  public Optional<StoredObject> get(String key) {
    if (fault != Fault.STALE_QUEUE || !key.equals(Keys.QUEUE)) {
      return super.get(key);
    }
    StoredObject known = lastQueue;
    if (known != null) {
      return Optional.of(known);
    }
    Optional<StoredObject> read = super.get(key);
    read.ifPresent(object -> lastQueue = object);
    return read;
  }
}
