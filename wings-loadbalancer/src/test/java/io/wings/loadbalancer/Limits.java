package io.wings.loadbalancer;

import io.wings.common.config.ByteSize;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.time.Duration;

/** The usual limits but for what a test is about. */
final class Limits {
  private static final ProxyLimits USUAL = ProxyLimits.DEFAULT;

  private Limits() {}

  static ProxyLimits bytes(ByteSize message, ByteSize buffer) {
    return of(
        message,
        USUAL.callsPerPrincipal(),
        USUAL.calls(),
        buffer,
        USUAL.lookup(),
        USUAL.patience());
  }

  static ProxyLimits calls(int perPrincipal, int calls) {
    return of(
        USUAL.message(), perPrincipal, calls, USUAL.buffer(), USUAL.lookup(), USUAL.patience());
  }

  static ProxyLimits lookup(Duration lookup) {
    return of(
        USUAL.message(),
        USUAL.callsPerPrincipal(),
        USUAL.calls(),
        USUAL.buffer(),
        lookup,
        USUAL.patience());
  }

  static ProxyLimits patience(Duration patience) {
    return of(
        USUAL.message(),
        USUAL.callsPerPrincipal(),
        USUAL.calls(),
        USUAL.buffer(),
        USUAL.lookup(),
        patience);
  }

  private static ProxyLimits of(
      ByteSize message,
      int callsPerPrincipal,
      int calls,
      ByteSize buffer,
      Duration lookup,
      Duration patience) {
    return new ProxyLimits(
        message,
        USUAL.metadata(),
        callsPerPrincipal,
        calls,
        buffer,
        lookup,
        USUAL.lookupAge(),
        USUAL.linger(),
        USUAL.tenantBuffer(),
        USUAL.relay(),
        patience,
        USUAL.recheck(),
        USUAL.login());
  }

  /** Looks often at who may go on. */
  static ProxyLimits recheck(Duration recheck) {
    return of(recheck, USUAL.login());
  }

  static ProxyLimits login(Duration login) {
    return of(USUAL.recheck(), login);
  }

  private static ProxyLimits of(Duration recheck, Duration login) {
    return new ProxyLimits(
        USUAL.message(),
        USUAL.metadata(),
        USUAL.callsPerPrincipal(),
        USUAL.calls(),
        USUAL.buffer(),
        USUAL.lookup(),
        USUAL.lookupAge(),
        USUAL.linger(),
        USUAL.tenantBuffer(),
        USUAL.relay(),
        USUAL.patience(),
        recheck,
        login);
  }
}
