package io.wings.broker.loop;

import io.wings.broker.core.Command;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A command on its way through the broker. Answered exactly once, unless it was cancelled. */
public final class Call {
  private static final Logger log = LoggerFactory.getLogger(Call.class);

  private final Command command;
  private final long holdUntil;
  private final Consumer<Answer> onAnswer;
  private final AtomicBoolean cancelled = new AtomicBoolean();

  /**
   * @param holdUntil how long an empty request may be kept, on the monotonic clock
   */
  Call(Command command, long holdUntil, Consumer<Answer> onAnswer) {
    this.command = command;
    this.holdUntil = holdUntil;
    this.onAnswer = onAnswer;
  }

  Command command() {
    return command;
  }

  long holdUntil() {
    return holdUntil;
  }

  /** The caller is gone: no answer is wanted. Leases that it was granted go back. */
  public void cancel() {
    cancelled.set(true);
  }

  boolean isCancelled() {
    return cancelled.get();
  }

  void answer(Answer answer) {
    if (cancelled.get()) {
      return;
    }
    try {
      onAnswer.accept(answer);
    } catch (RuntimeException e) {
      log.warn("an answer could not be delivered", e);
    }
  }
}
