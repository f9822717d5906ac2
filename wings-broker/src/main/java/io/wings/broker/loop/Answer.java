package io.wings.broker.loop;

import io.wings.broker.core.Reply;

/** How a call ends. */
public sealed interface Answer {
  /** It was done, and what it says is durable. */
  record Done(Reply reply) implements Answer {}

  /** This is not the active broker of the caller's epoch; it may have been done or not. */
  record LookAgain() implements Answer {}

  /** Too many calls wait already; nothing was done. */
  record Busy() implements Answer {}
}
