package io.wings.broker.loop;

import java.time.Duration;

/** Hears what happens in the loop, on its thread; for metrics. */
public interface BrokerEvents {
  /** The status as of now; at least at every write that is due. */
  void status(BrokerStatus status);

  /** It became the active one. */
  void tookOver();

  /** It was the active one, and another took over. */
  void deposed();

  /** A write landed. */
  void wrote(Duration took, int calls);

  /** A read confirmed that it is still the active one. */
  void confirmed(Duration took, int calls);

  /** The store failed or refused; the broker tries again. */
  void storeFailed();

  /** It doesn't know who is active, and could not take over. */
  void blind(String reason);

  /** As a standby it has seen who is active. */
  void watching();
}
