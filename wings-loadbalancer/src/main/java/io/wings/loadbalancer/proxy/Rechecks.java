package io.wings.loadbalancer.proxy;

import io.wings.common.auth.Identity;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks again, as long as calls are open, who their clients are and whether they still may. What is
 * revoked, or has run out, ends them; that it can't be found out now doesn't. Safe for several
 * threads.
 */
final class Rechecks {
  private static final Logger log = LoggerFactory.getLogger(Rechecks.class);

  /** A call that may have to end because of its caller. */
  interface Rechecked {
    /**
     * Returns for a caller who may go on.
     *
     * @param caller as he is known now
     * @throws WingsException why he may not
     */
    void requireStill(Identity caller);

    /** The caller may not go on. */
    void revoke(WingsException why);
  }

  private record Open(Shown shown, String principal, Rechecked call) {}

  private final Duration interval;
  private final Time time;

  /** As many as there are calls, at most. */
  private final Set<Open> open = ConcurrentHashMap.newKeySet();

  private @Nullable Thread thread;

  Rechecks(Duration interval, Time time) {
    this.interval = interval;
    this.time = time;
  }

  void start(Threads threads) {
    thread = threads.start("access-rechecks", this::run);
  }

  void stop() {
    if (thread != null) {
      thread.interrupt();
    }
  }

  /**
   * From now on, until what is returned runs.
   *
   * @param principal whose call it is
   */
  Runnable add(Shown shown, String principal, Rechecked call) {
    Open added = new Open(shown, principal, call);
    boolean _ = open.add(added);
    return () -> {
      boolean _ = open.remove(added);
    };
  }

  private void run() {
    try {
      while (true) {
        time.sleep(interval);
        open.forEach(Rechecks::check);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void check(Open call) {
    try {
      Identity now = call.shown.identity();
      if (!now.principal().equals(call.principal)) {
        throw new WingsException(
            ErrorKind.UNAUTHENTICATED,
            "unauthenticated",
            "what the call has shown is another principal's now");
      }
      call.call.requireStill(now);
    } catch (WingsException e) {
      if (e.kind() != ErrorKind.UNAVAILABLE) {
        log.info("a call of principal {} ends: {}", call.principal, e.code());
        call.call.revoke(e);
      }
    } catch (RuntimeException e) {
      log.error("a call of principal {} can't be checked again", call.principal, e);
    }
  }
}
