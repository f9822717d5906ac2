package io.wings.loadbalancer.fleet;

/** What is known of a process some time after its call broke off. */
public enum Fate {
  /** It answered afterwards, and went on answering. */
  ALIVE,
  /** Another process answers at its address. */
  GONE,
  /** It wasn't seen. */
  UNKNOWN
}
