package io.wings.common.id;

import java.util.UUID;

/** Random ids and fractions. */
public interface Ids {
  /** A fresh random (version 4) uuid. */
  UUID uuid();

  /** A uniformly distributed number in [0, 1), for jitter and sampling. */
  double fraction();

  /** 32 lower-case hexadecimal digits of a fresh uuid: put ids, incarnations, attempts, leases. */
  default String hex() {
    UUID id = uuid();
    return String.format("%016x%016x", id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  /** Cryptographically strong randomness of the machine. */
  static Ids secure() {
    return SecureIds.INSTANCE;
  }
}
